import KettleModel
import Testing

@testable import KettleScheduler

/// How a record is derived from the facts and the state.
struct TransferFactsTests {
  private static let failure = TransferFailure(.connectionLost, on: "h")

  private func waiting(_ reason: WaitingReason = .retry) -> TransferMachine.State {
    .waiting(.retrying(after: 1000, reason, Self.failure, at: MachineFixture.now))
  }

  @Test func `a record shows the reason and the end of a wait`() {
    let record = MachineFixture.facts().record(in: waiting())
    #expect(record.state == .waiting)
    #expect(record.reason == .retry)
    #expect(record.goesOnAt == MachineFixture.now.wall.advanced(byMilliseconds: 1000))
    #expect(record.failure == Self.failure)
  }

  @Test func `a challenge is shown only while a response is pending`() {
    let challenge = ServerChallenge(kind: .basic, origin: "http://h", failureCount: 0)
    let facts = MachineFixture.facts {
      $0.spec.task = TaskOptions(kind: .download)
      $0.task = TaskStatus()
    }
    let asking = TransferMachine.State.waiting(
      .forEvent(.needsLogin, Self.failure, challenge: challenge))
    #expect(facts.record(in: asking).task?.challenge == challenge)
    #expect(facts.record(in: .queued).task?.challenge == nil)
    #expect(MachineFixture.facts().record(in: asking).task == nil)
  }

  @Test func `a queued transfer shows its last failure until it runs`() {
    var machine = TransferMachine(MachineFixture.record(), state: waiting())
    _ = machine.start(at: MachineFixture.now)
    #expect(machine.record.failure == Self.failure)
    #expect(machine.record.reason == nil)
    let ids = FreshIDs(
      attempt: MachineFixture.attempt(1), operation: MachineFixture.operation)
    _ = machine.slotGiven(ids, at: MachineFixture.now)
    #expect(machine.record.failure == nil)
  }

  @Test(arguments: TransferState.allCases)
  func `a stored record survives recovery`(_ state: TransferState) {
    let stored = MachineFixture.record {
      $0.state = state
      $0.resumeData = partial(durable: 10)
      $0.finishNumber = 3
      $0.finishedAt = MachineFixture.now.wall
      if state == .waiting {
        $0.reason = .needsLink
        $0.failure = Self.failure
      }
      if state == .failed { $0.failure = Self.failure }
      if state == .scheduled { $0.goesOnAt = MachineFixture.now.wall }
    }
    let machine = TransferMachine(recovering: stored, at: MachineFixture.now)
    var expected = stored
    if state == .running || state == .verifying { expected.state = .queued }
    #expect(machine.durableRecord == expected)
  }

  @Test func `a file that changes with every request fails after five versions`() {
    var facts = MachineFixture.facts { $0.resumeData = partial(durable: 10) }
    for _ in 1...5 {
      guard case .request(let request) = facts.startingFresh(because: .resourceChanged) else {
        Issue.record("It gave up too soon")
        return
      }
      #expect(request.mode == .fresh(.resourceChanged))
    }
    guard case .failed(let failure) = facts.startingFresh(because: .resourceChanged) else {
      Issue.record("It goes on for ever")
      return
    }
    #expect(failure.code == .otherVersion)
    #expect(facts.freshStart == .resourceChanged)
  }
}
