import Dispatch
import KettleSystem

/// A serial queue whose thread stays for a while to wait for more work.
///
/// A plain serial queue releases its thread when it is idle, and gets another one for the next
/// work: the thread that was idle longest. When work arrives every millisecond, the threads are
/// woken in turn, and none is warm for the memory that it works on.
final class LingeringQueue: Sendable {
  typealias Work = @Sendable () -> Void

  private enum Worker: Sendable {
    /// There is no thread.
    case away
    /// The thread waits for more work.
    case lingering
    /// The thread is scheduled or running.
    case called
  }

  private struct State: Sendable {
    var waiting: [Work] = []
    var worker = Worker.away

    mutating func next() -> Work? {
      guard waiting.isEmpty else { return waiting.removeFirst() }
      worker = .lingering
      return nil
    }

    /// Returns false when work arrived at the last moment.
    mutating func leave() -> Bool {
      switch worker {
      case .lingering, .away:
        worker = .away
        return true
      case .called: return false
      }
    }
  }

  private let queue: DispatchQueue
  private let lingering: DispatchTimeInterval
  private let state = Mutex(State())
  private let called = DispatchSemaphore(value: 0)

  /// - Parameter lingering: how long the thread waits for more work.
  init(_ label: String, lingering: DispatchTimeInterval = .milliseconds(20)) {
    queue = DispatchQueue(label: label)
    self.lingering = lingering
  }

  func async(_ work: @escaping Work) {
    let worker = state.withLock { state in
      defer { state.worker = .called }
      state.waiting.append(work)
      return state.worker
    }
    switch worker {
    case .away: queue.async { self.run() }
    case .lingering: called.signal()
    case .called: break
    }
  }

  private func run() {
    while true {
      while let work = state.withLock({ $0.next() }) { work() }
      if called.wait(timeout: .now() + lingering) == .success { continue }
      if state.withLock({ $0.leave() }) { return }
      called.wait()
    }
  }
}
