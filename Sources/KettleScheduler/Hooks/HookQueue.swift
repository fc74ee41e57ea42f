import KettleModel

/// Decides when pending hooks are started, and when one that takes too long is ended.
///
/// A run is recorded as started before its program is, so a run is never started twice. What is
/// pending when the service ends is started by the next one; what was running is interrupted.
package struct HookQueue: Sendable {
  package struct Limits: Sendable, Hashable {
    package var runningMax = 4
    package var timeLimitSeconds = 300

    package init() {}
  }

  package enum Action: Sendable, Hashable {
    /// Record that the run has started, and call `recorded`.
    case recordStart(HookRunID)
    /// Start the program, and call `ended` or `notStarted`.
    case start(HookRunID)
    /// Ask the processes of the run to end.
    case terminate(HookRunID)
    /// End the processes of the run.
    case kill(HookRunID)
    case recordEnd(HookRunID, HookOutcome, lastLine: String?)
  }

  /// How long a program that was asked to end has before it is ended.
  package static let graceMilliseconds: Int64 = 10_000
  /// The pause after the store could not be written.
  package static let pauseMilliseconds: Int64 = 60_000

  private enum Stage: Hashable {
    /// Its start is being recorded.
    case recording
    case running(until: MonotonicTime, limitSeconds: Int)
    case terminating(killAt: MonotonicTime, limitSeconds: Int)
    case killed(limitSeconds: Int)
  }

  private enum Phase: Hashable {
    case open
    /// The store could not be written; nothing is started before this time.
    case pausing(until: MonotonicTime)
    /// The service is ending.
    case closed
  }

  private var limits: Limits
  /// In the order of their events, from `first`; those before it are over.
  private var pending: [HookRunID] = []
  private var first = 0
  private var stages: [HookRunID: Stage] = [:]
  private var phase = Phase.open

  package init(_ limits: Limits = Limits()) { self.limits = limits }

  /// The time at which `timePassed` must be called; nil when time changes nothing.
  package var nextWakeUp: MonotonicTime? {
    var times: [MonotonicTime] = []
    if case .pausing(let until) = phase { times.append(until) }
    for stage in stages.values {
      switch stage {
      case .running(let time, _), .terminating(let time, _): times.append(time)
      case .recording, .killed: break
      }
    }
    return times.min()
  }

  // MARK: Input

  /// Takes what the previous service left: `started` are the runs whose programs it had started.
  package mutating func recover(pending ids: [HookRunID], started: [HookRunID]) -> [Action] {
    started.map { .recordEnd($0, .interrupted, lastLine: nil) } + add(ids)
  }

  /// Takes new runs, which are in the store.
  package mutating func add(_ ids: [HookRunID]) -> [Action] {
    pending += ids
    return startNext()
  }

  /// Changes the limits for programs that are started from now on.
  package mutating func setLimits(_ limits: Limits) -> [Action] {
    self.limits = limits
    return startNext()
  }

  /// The start is recorded, or cannot be.
  package mutating func recorded(
    _ id: HookRunID, isKept: Bool, at now: MonotonicTime
  ) -> [Action] {
    guard stages[id] == .recording else { return [] }
    if isKept {
      let seconds = limits.timeLimitSeconds
      stages[id] = .running(
        until: now.advanced(byMilliseconds: Int64(seconds) * 1000), limitSeconds: seconds)
      return [.start(id)]
    }
    stages[id] = nil
    putBack(id)
    if phase != .closed {
      phase = .pausing(until: now.advanced(byMilliseconds: Self.pauseMilliseconds))
    }
    return []
  }

  /// The store no longer has the run.
  package mutating func isGone(_ id: HookRunID) -> [Action] {
    stages[id] = nil
    return startNext()
  }

  package mutating func notStarted(_ id: HookRunID, errno name: String) -> [Action] {
    end(id, .notStarted(errno: name), lastLine: nil)
  }

  /// The program ended.
  ///
  /// - Parameter outcome: `exited` or `killed`.
  package mutating func ended(
    _ id: HookRunID, _ outcome: HookOutcome, lastLine: String?
  ) -> [Action] {
    switch stages[id] {
    case .running: end(id, outcome, lastLine: lastLine)
    case .terminating(_, let seconds), .killed(let seconds):
      end(id, .timedOut(seconds: seconds), lastLine: lastLine)
    case .recording, nil: []
    }
  }

  package mutating func timePassed(at now: MonotonicTime) -> [Action] {
    var actions: [Action] = []
    for (id, stage) in stages.sorted(by: { $0.key < $1.key }) {
      switch stage {
      case .running(let until, let seconds) where until <= now:
        let killAt = now.advanced(byMilliseconds: Self.graceMilliseconds)
        stages[id] = .terminating(killAt: killAt, limitSeconds: seconds)
        actions.append(.terminate(id))
      case .terminating(let killAt, let seconds) where killAt <= now:
        stages[id] = .killed(limitSeconds: seconds)
        actions.append(.kill(id))
      case .recording, .running, .terminating, .killed: break
      }
    }
    if case .pausing(let until) = phase, until <= now { phase = .open }
    return actions + startNext()
  }

  /// Starts nothing more. What runs goes on without the service.
  package mutating func close() { phase = .closed }

  // MARK: Bookkeeping

  private mutating func startNext() -> [Action] {
    guard phase == .open else { return [] }
    var actions: [Action] = []
    while stages.count < limits.runningMax, pending.indices.contains(first) {
      let id = pending[first]
      first += 1
      stages[id] = .recording
      actions.append(.recordStart(id))
    }
    if first > 1024, first > pending.count / 2 {
      pending.removeFirst(first)
      first = 0
    }
    return actions
  }

  private mutating func putBack(_ id: HookRunID) {
    pending.removeFirst(first)
    first = 0
    // The order of the events, whichever record failed first.
    let index = pending.firstIndex { $0 > id } ?? pending.count
    pending.insert(id, at: index)
  }

  private mutating func end(
    _ id: HookRunID, _ outcome: HookOutcome, lastLine: String?
  ) -> [Action] {
    guard stages.removeValue(forKey: id) != nil else { return [] }
    return [.recordEnd(id, outcome, lastLine: lastLine)] + startNext()
  }
}
