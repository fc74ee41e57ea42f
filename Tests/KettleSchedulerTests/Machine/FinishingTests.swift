import KettleModel
import Testing

@testable import KettleScheduler

/// The steps after the last byte, tested separately.
struct FinishingTests {
  private let finishing = Finishing(MachineFixture.operation)
  private let checksum = Checksum(algorithm: .md5, hex: String(repeating: "a", count: 32))

  private func facts(
    _ change: (inout TransferRecord) -> Void = { _ in }
  ) -> TransferFacts {
    MachineFixture.facts {
      $0.resumeData = partial(durable: 1000)
      change(&$0)
    }
  }

  @Test func `a file without a checksum is recorded as complete and placed at once`() {
    var facts = facts()
    let transition = finishing.begin(&facts, with: partial(durable: 1000))
    #expect(transition.state == .placing(MachineFixture.operation, next: .completed))
    #expect(facts.resumeData?.isWhole == true)
    guard case .placeFile(_, _, let placed, .rename)? = transition.actions.first else {
      Issue.record("Nothing is placed")
      return
    }
    #expect(placed.isWhole)
  }

  @Test func `a checksum is verified before placing, but not twice`() {
    var facts = facts { $0.spec.checksum = checksum }
    let first = finishing.begin(&facts, with: partial(durable: 1000))
    #expect(first.state == .verifying(MachineFixture.operation))
    var whole = partial(durable: 1000)
    whole.isWhole = true
    let second = finishing.begin(&facts, with: whole)
    #expect(second.state?.kind == .placing)
  }

  @Test func `wrong bytes are deleted before the transfer fails`() {
    var facts = facts { $0.spec.checksum = checksum }
    let found = String(repeating: "b", count: 32)
    let transition = finishing.digestComputed(
      .success(found), &facts, at: MachineFixture.now)
    guard case .discarding(_, next: .failed(let failure))? = transition.state else {
      Issue.record("The bytes are kept")
      return
    }
    #expect(failure.code == .checksumMismatch)
    #expect(facts.finishedAt == MachineFixture.now.wall)
  }

  @Test func `with skip, a rename onto an existing file completes the transfer`() {
    var facts = facts { $0.spec.onConflict = .skip }
    let taken = TransferFailure(.nameTaken, on: "/downloads/a.iso")
    let transition = finishing.placed(
      .failure(taken), next: .completed, &facts, at: MachineFixture.now)
    #expect(transition.state == .completed)
    #expect(facts.finishedFile == FinishedFile(path: "/downloads/a.iso", identity: nil))
    #expect(transition.actions.count == 1)
  }

  // Fault 163
  @Test func `a partial file that is always replaced is fetched again once`() {
    var facts = facts()
    let changed = TransferFailure(.partialFileChanged, on: "/downloads/a.iso.part")
    let first = finishing.placed(
      .failure(changed), next: .completed, &facts, at: MachineFixture.now)
    #expect(first.state == .queued)
    let last = finishing.placed(
      .failure(changed), next: .completed, &facts, at: MachineFixture.now)
    #expect(last.state?.kind == .failed)
  }

  @Test func `without a partial file nothing is deleted`() {
    var facts = MachineFixture.facts { $0.retryCount = 3 }
    let transition = finishing.discard(&facts, next: .idle)
    #expect(transition.state == .idle)
    #expect(transition.actions.isEmpty)
    #expect(facts.retryCount == 0)
  }
}
