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
      .failure(taken), next: .completed, &facts, in: MachineFixture.context)
    #expect(transition.state == .completed)
    #expect(facts.finishedFile == FinishedFile(path: "/downloads/a.iso", identity: nil))
    #expect(transition.actions.count == 1)
  }

  // Fault 163
  @Test func `a partial file that is always replaced is fetched again once`() {
    var facts = facts()
    let changed = TransferFailure(.partialFileChanged, on: "/downloads/a.iso.part")
    let first = finishing.placed(
      .failure(changed), next: .completed, &facts, in: MachineFixture.context)
    #expect(first.state == .queued)
    let last = finishing.placed(
      .failure(changed), next: .completed, &facts, in: MachineFixture.context)
    #expect(last.state?.kind == .failed)
  }

  @Test func `without a partial file nothing is deleted`() {
    var facts = MachineFixture.facts { $0.retryCount = 3 }
    let transition = finishing.discard(&facts, next: .idle)
    #expect(transition.state == .idle)
    #expect(transition.actions.isEmpty)
    #expect(facts.retryCount == 0)
  }

  // MARK: Object stores

  private let away = TransferFailure(.storeUnavailable, on: "s3://data/a.iso", detail: "503")
  private let gone = TransferFailure(.uploadGone, on: "s3://data/a.iso")
  private let upload = ObjectUpload(
    key: "a.iso", uploadID: "u1", partByteCount: 8 << 20, mark: "m", hasChecksums: true)

  private func stored(_ byteCount: Int64, with upload: ObjectUpload? = nil) -> TransferFacts {
    facts {
      $0.spec.directory = "s3://data"
      $0.resumeData = partial(durable: byteCount, total: byteCount)
      $0.resumeData?.upload = upload
    }
  }

  @Test func `a large file is sent in parts before it is placed, and a small one is not`() throws {
    var small = stored(8 << 20)
    let data = try #require(small.resumeData)
    #expect(finishing.begin(&small, with: data).state?.kind == .placing)
    var large = stored((8 << 20) + 1)
    let larger = try #require(large.resumeData)
    let transition = finishing.begin(&large, with: larger)
    #expect(transition.state?.kind == .verifying)
    guard case .storeFile(_, _, let sent)? = transition.actions.first else {
      Issue.record("Nothing is sent")
      return
    }
    #expect(sent == larger)
    #expect(finishing.uploadBegun(upload, &large).actions.count == 1)
    #expect(large.resumeData?.upload == upload)
    #expect(finishing.fileStored(nil, &large, in: MachineFixture.context).state?.kind == .placing)
    #expect(large.resumeData?.isWhole == true)
  }

  @Test func `a store that is away when the file is published is waited for`() throws {
    var facts = stored(9 << 20, with: upload)
    facts.resumeData?.isWhole = true
    let transition = finishing.placed(
      .failure(away), next: .completed, &facts, in: MachineFixture.context)
    #expect(transition.state?.kind == .waiting)
    #expect(facts.resumeData?.isWhole == true)
    #expect(facts.resumeData?.upload == upload)
  }

  @Test func `attempts that the user has limited are counted at a store, too`() {
    var facts = stored(9 << 20, with: upload)
    facts.retryCount = 50
    #expect(
      finishing.fileStored(away, &facts, in: MachineFixture.context).state?.kind == .waiting)
    facts.spec.options.attemptsMax = 3
    #expect(finishing.fileStored(away, &facts, in: MachineFixture.context).state?.kind == .failed)
  }

  @Test func `a lost upload begins again, three times`() {
    var facts = stored(9 << 20, with: upload)
    for _ in 0..<2 {
      facts.resumeData?.upload = upload
      let transition = finishing.placed(
        .failure(gone), next: .completed, &facts, in: MachineFixture.context)
      #expect(transition.state == .queued)
      #expect(facts.resumeData?.upload == nil)
      #expect(facts.resumeData?.isWhole == false)
    }
    let last = finishing.fileStored(gone, &facts, in: MachineFixture.context)
    #expect(last.state == .failed(gone))
  }

  @Test func `the local copy of an object is deleted, and its upload is not aborted`() throws {
    var facts = stored(9 << 20, with: upload)
    var file = FinishedFile(path: "s3://data/a.iso", identity: nil)
    file.object = StoredObject(byteCount: 9 << 20)
    let transition = finishing.placed(
      .success(file), next: .completed, &facts, in: MachineFixture.context)
    #expect(transition.state == .completed)
    guard case .discardPartialFile(_, _, let copy)? = transition.actions.first else {
      Issue.record("The copy stays")
      return
    }
    #expect(copy.upload == nil)
    #expect(facts.resumeData == nil)
  }
}
