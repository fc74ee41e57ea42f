import KettleModel
import Testing

@testable import KettleScheduler

/// Where the unpacking of a compressed file belongs among the steps after the last byte.
struct UnpackingTests {
  private let finishing = Finishing(MachineFixture.operation)
  private let usersDigits = String(repeating: "a", count: 32)
  private let serversDigits = String(repeating: "b", count: 40)
  private var users: Checksum? { Checksum(algorithm: .md5, hex: usersDigits) }
  private var servers: Checksum? { Checksum(algorithm: .sha1, hex: serversDigits) }

  private var packed: ResumeData {
    var resumeData = partial(durable: 1000)
    resumeData.contentCoding = "gzip"
    return resumeData
  }

  private var unpacked: ResumeData {
    var resumeData = partial(durable: 5000, total: 5000)
    resumeData.partialPath = "/downloads/a.iso (2).part"
    resumeData.inode = 8
    resumeData.setAside = packed.partialIdentity
    return resumeData
  }

  private func facts(
    _ resumeData: ResumeData, _ change: (inout TransferRecord) -> Void = { _ in }
  ) -> TransferFacts {
    MachineFixture.facts {
      $0.spec.options.unpacks = true
      $0.resumeData = resumeData
      change(&$0)
    }
  }

  private func unpacks(_ transition: Transition) -> ResumeData? {
    guard transition.state == .verifying(MachineFixture.operation),
      case .unpackFile(_, MachineFixture.operation, let resumeData)? = transition.actions.first
    else { return nil }
    return resumeData
  }

  private func digests(_ transition: Transition) -> Checksum.Algorithm? {
    guard case .computeDigest(_, _, _, let algorithm)? = transition.actions.first else {
      return nil
    }
    return algorithm
  }

  @Test func `server's digest, unpacking, user's digest, name: in this order`() {
    var sent = packed
    sent.serverChecksum = servers
    var facts = facts(sent) { $0.spec.checksum = users }
    #expect(digests(finishing.begin(&facts, with: sent)) == .sha1)
    let second = finishing.digestComputed(.success(serversDigits), &facts, at: MachineFixture.now)
    #expect(unpacks(second) == sent)
    let third = finishing.fileUnpacked(
      .success(unpacked), &facts, in: MachineFixture.context)
    #expect(digests(third) == .md5)
    #expect(facts.resumeData == unpacked)
    let last = finishing.digestComputed(.success(usersDigits), &facts, at: MachineFixture.now)
    guard case .placeFile(_, _, let placed, _)? = last.actions.first else {
      Issue.record("Nothing is placed")
      return
    }
    #expect(placed.isWhole)
    #expect(placed.setAside == packed.partialIdentity)
  }

  @Test func `without checksums it is unpacked and placed`() {
    var facts = facts(packed)
    #expect(unpacks(finishing.begin(&facts, with: packed)) == packed)
    let next = finishing.fileUnpacked(.success(unpacked), &facts, in: MachineFixture.context)
    #expect(next.state?.kind == .placing)
    #expect(
      TransferAction.unpackFile(facts.id, MachineFixture.operation, packed).timing == .afterCommit)
  }

  @Test func `only a compressed file is unpacked, only on request, and only once`() {
    var plain = facts(partial(durable: 1000))
    #expect(finishing.begin(&plain, with: partial(durable: 1000)).state?.kind == .placing)
    var unasked = facts(packed) { $0.spec.options.unpacks = false }
    #expect(finishing.begin(&unasked, with: packed).state?.kind == .placing)
    var whole = packed
    whole.isWhole = true
    var named = facts(whole)
    #expect(finishing.begin(&named, with: whole).state?.kind == .placing)
  }

  @Test func `bytes that differ from the server's digest are not unpacked`() {
    var sent = packed
    sent.serverChecksum = servers
    var facts = facts(sent)
    let wrong = finishing.digestComputed(
      .success(String(repeating: "c", count: 40)), &facts, at: MachineFixture.now)
    #expect(wrong.state?.kind == .discarding)
  }

  @Test func `damage fails the transfer and keeps the compressed bytes`() {
    var facts = facts(packed)
    let damaged = TransferFailure(.unpackingFailed, on: "a.iso", detail: "it ends in the middle")
    let next = finishing.fileUnpacked(.failure(damaged), &facts, in: MachineFixture.context)
    #expect(next.state == .failed(damaged))
    #expect(next.actions.isEmpty)
    #expect(facts.resumeData == packed)
    #expect(facts.finishedAt == MachineFixture.now.wall)
  }

  @Test func `a full disk is waited for`() {
    var facts = facts(packed)
    let full = TransferFailure(.diskFull, on: "/downloads")
    let next = finishing.fileUnpacked(.failure(full), &facts, in: MachineFixture.context)
    guard case .waiting(let waiting)? = next.state else {
      Issue.record("It does not wait")
      return
    }
    #expect(waiting.reason == .diskSpace)
    #expect(waiting.until != nil)
    #expect(facts.resumeData == packed)
  }

  @Test func `a compressed file that was changed is fetched again once`() {
    var facts = facts(packed)
    let changed = TransferFailure(.partialFileChanged, on: packed.partialPath)
    let next = finishing.fileUnpacked(.failure(changed), &facts, in: MachineFixture.context)
    #expect(next.state == .queued)
    #expect(facts.resumeData == nil)
    let last = finishing.fileUnpacked(.failure(changed), &facts, in: MachineFixture.context)
    #expect(last.state?.kind == .failed)
  }

  // MARK: The machine

  private func machine(_ resumeData: ResumeData) -> TransferMachine {
    var machine = TransferMachine(
      MachineFixture.record {
        $0.spec.options.unpacks = true
        $0.resumeData = resumeData
        $0.state = .queued
      }, state: .queued)
    _ = machine.slotGiven(
      FreshIDs(attempt: MachineFixture.attempt(1), operation: MachineFixture.operation),
      at: MachineFixture.now)
    return machine
  }

  @Test func `the result for a paused transfer changes nothing`() {
    var machine = machine(packed)
    #expect(machine.isVerifying(MachineFixture.operation))
    #expect(machine.visibleState == .verifying)
    _ = machine.pause()
    #expect(machine.visibleState == .paused)
    let late = machine.fileUnpacked(
      .success(unpacked), by: MachineFixture.operation, next: OperationID(rawValue: 2),
      in: MachineFixture.context)
    #expect(late.state == nil && late.actions.isEmpty)
    #expect(machine.record.resumeData == packed)
  }

  @Test func `a recovered transfer unpacks, or names what is unpacked`() {
    var (closed, whole) = (packed, unpacked)
    closed.lastWriteNanoseconds = 5
    whole.lastWriteNanoseconds = 5
    #expect(machine(closed).state == .verifying(MachineFixture.operation))
    #expect(machine(whole).state.kind == .placing)
  }
}
