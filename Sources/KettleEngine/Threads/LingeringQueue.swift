import Dispatch
import KettleSystem

/// Does work one after the other, on a thread that stays a while for more.
///
/// A serial queue lets go of its thread when it has nothing to do, and is given another one for the
/// next work: of all that rest, the one that rested longest. Where work comes every millisecond
/// each of them is woken in turn, and none knows the memory that it works on.
final class LingeringQueue: Sendable {
  typealias Work = @Sendable () -> Void

  private enum Worker: Sendable {
    /// There is none.
    case away
    /// It waits for more.
    case lingering
    /// It comes, or is at work.
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

    /// False when it was called at the last moment.
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

  /// - Parameter lingering: how long the thread waits for more.
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
