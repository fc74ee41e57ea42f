import Dispatch
import Glibc
import KettleSystem

/// Reaps the processes whose parents have ended, as the first process of a container must. They
/// would fill the process table otherwise.
final class OrphanReaper: Sendable {
  private let queue = DispatchQueue(label: "kettle.orphans")
  // A dispatch source may be used from any thread (dispatch_source_create(3)).
  private nonisolated(unsafe) let source: any DispatchSourceSignal

  /// How long the thread that waits for a child of ours has to reap it.
  private static let pauseMilliseconds = 20

  /// Returns nil unless orphans become children of this process.
  init?() {
    guard getpid() == 1 else { return nil }
    source = DispatchSource.makeSignalSource(signal: SIGCHLD, queue: queue)
    source.setEventHandler { [weak self] in self?.reap() }
    source.activate()
  }

  func end() { source.cancel() }

  private func reap() {
    while let processID = Self.endedChild() {
      guard !OwnChildren.reapUnlessOwn(processID) else { continue }
      queue.asyncAfter(deadline: .now() + .milliseconds(Self.pauseMilliseconds)) { [weak self] in
        self?.reap()
      }
      return
    }
  }

  /// Returns a child that has ended and was not reaped, without reaping it.
  private static func endedChild() -> pid_t? {
    var information = siginfo_t()
    guard waitid(P_ALL, 0, &information, WEXITED | WNOHANG | WNOWAIT) == 0 else { return nil }
    let processID = information._sifields._sigchld.si_pid
    return processID > 0 ? processID : nil
  }
}
