import KettleModel

@testable import KettleScheduler

/// A scheduler over hosts that can be down, with a clock that jumps to the next alarm.
struct OutageScript {
  var script: SchedulerScript
  /// How each attempt fails; nil when its host answers.
  var failure: (AttemptPlan, Moment) -> TransferFailure?
  /// The time and plan of each attempt.
  private(set) var attempts: [(at: Moment, plan: AttemptPlan)] = []
  private var doneCount = 0

  init(
    limits: TransferQueue.Limits = TransferQueue.Limits(),
    _ failure: @escaping (AttemptPlan, Moment) -> TransferFailure?
  ) {
    script = SchedulerScript(limits: limits)
    self.failure = failure
  }

  static let refused = TransferFailure(.connectionRefused, on: "files.example")

  var start: Moment { SchedulerScript().now }

  /// How many milliseconds after the start each attempt was made.
  var times: [Int64] { attempts.map { $0.at.monotonic.milliseconds(since: start.monotonic) } }

  /// Ends every attempt that was begun: with its failure, or with a file.
  mutating func settle() {
    while doneCount < script.actions.count {
      let action = script.actions[doneCount]
      doneCount += 1
      switch action {
      case .beginAttempt(let id, let plan):
        attempts.append((script.now, plan))
        if let failure = failure(plan, script.now) {
          script.settled(plan.attempt, .failed(failure))
        } else {
          answer(plan.attempt, of: id)
        }
      case .placeFile(let id, let operation, _, _):
        let file = FinishedFile(path: "/downloads/a.iso", identity: nil)
        script.handle(.file(id, .placed(.success(file), by: operation)))
      case .cancelAttempt, .shortenAttempt, .openBody, .acceptBody, .acceptDocument,
        .acceptSegment, .closeBody, .checkBlocks, .computeDigest, .unpackFile, .storeFile,
        .readTitle,
        .discardPartialFile,
        .discardFinishedFile, .limit, .addMembers:
        break
      }
    }
  }

  private mutating func answer(_ attempt: AttemptID, of id: TransferID) {
    script.head(attempt, 200, ["Content-Length": "1000", "ETag": "\"v1\""])
    script.opened(attempt, partial())
    script.settled(attempt, .complete, durable: 1000)
  }

  /// Lets time pass to the next alarm. Returns false when none is left.
  mutating func passTime() -> Bool {
    guard let next = script.scheduler.nextWakeUp(at: script.now) else { return false }
    script.advance(milliseconds: max(0, next.milliseconds(since: script.now.monotonic)))
    script.timePasses()
    settle()
    return true
  }

  /// Lets time pass until nothing is left to do, at most this long.
  mutating func run(milliseconds: Int64) {
    settle()
    let end = script.now.monotonic.advanced(byMilliseconds: milliseconds)
    while let next = script.scheduler.nextWakeUp(at: script.now), next <= end {
      if !passTime() { return }
    }
    script.advance(milliseconds: max(0, end.milliseconds(since: script.now.monotonic)))
  }

  func count(_ state: TransferState) -> Int {
    script.scheduler.machines.values.count { $0.visibleState == state }
  }
}
