import KettleModel
import KettleScheduler
import Testing
import TestSupport

@testable import KettleEngine

/// The partial file of a new body.
struct BodyOpeningTests {
  private let files = InMemoryFileStorage(
    documentsDirectory: "/home/u/Downloads", directories: ["/card"])

  private func opening(named name: String? = nil) -> BodyOpening {
    var spec = EngineWorld.spec("http://files.example/a.iso")
    spec.name = name.flatMap { try? FileName(typed: $0) }
    return BodyOpening(files: files, id: TransferID(rawValue: 1), spec: spec, directory: "/card")
  }

  private func plan(_ name: String, total: Int64) -> BodyPlan {
    .create(BodyPlan.NewFile(preferredName: name, total: total, validator: nil))
  }

  // Fault 172
  @Test func `a file that is too large for its file system fails before its first byte`() throws {
    files.setLargestFile(byteCount: 1000)
    let expected = TransferFailure(.fileProblem, on: "/card/a.iso", detail: FileTrouble.tooLarge)
    #expect(throws: expected) { _ = try opening().open(plan("a.iso", total: 1001)) }
    #expect(files.paths.isEmpty)
    _ = try opening().open(plan("a.iso", total: 1000))
    #expect(files.paths == ["/card/a.iso.part"])
  }

  // Fault 168
  @Test func `no file appears beside a device or a FIFO that the user named`() throws {
    files.putDevice(at: "/card/null")
    let expected = TransferFailure(.nameTaken, on: "/card/null", detail: "not a regular file")
    #expect(throws: expected) { _ = try opening(named: "null").open(plan("null", total: 1)) }
    #expect(files.paths.isEmpty)
    // A name from a server asked for no device.
    _ = try opening().open(plan("null", total: 1))
    #expect(files.paths == ["/card/null.part"])
  }

  // Fault 171
  @Test func `only a name that nobody typed is cut`() throws {
    files.setFittedName(byteCountMax: 10)
    _ = try opening().open(plan("0123456789.iso", total: 1))
    _ = try opening(named: "typed 0123456789.iso").open(plan("typed 0123456789.iso", total: 1))
    #expect(files.paths == ["/card/012345.iso.part", "/card/typed 0123456789.iso.part"])
  }

  @Test func `a file whose digests are lost is not opened`() throws {
    let pieces = try #require(
      PieceHashes(
        .digest(.sha1), pieceByteCount: 9, of: 9, digests: [UInt8](repeating: 1, count: 20)))
    var spec = EngineWorld.spec("http://files.example/a.iso")
    spec.options.described = DescribedFile(
      copies: [], byteCount: 9, pieces: .stored(DescribedPieces.given(pieces).outline))
    var opening = BodyOpening(
      files: files, id: TransferID(rawValue: 1), spec: spec, directory: "/card")
    #expect(throws: TransferFailure.self) { try opening.open(plan("a", total: 9)) }
    #expect(files.paths.isEmpty)
    opening.storedPieces = { _ in pieces }
    #expect(try opening.open(plan("a", total: 9)).ledger?.pieces == pieces)
    #expect(try opening.open(plan("b", total: 8)).ledger == nil)
  }

  private func continuing(_ policy: ConflictPolicy = .rename) -> (BodyOpening, BodyPlan) {
    var spec = EngineWorld.spec("http://files.example/a.iso")
    spec.onConflict = policy
    var new = BodyPlan.NewFile(
      preferredName: "a.iso", total: 9,
      validator: Validator(entityTag: "\"v1\"", lastModified: nil, isLastModifiedStrong: false))
    new.continues = true
    let opening = BodyOpening(
      files: files, id: TransferID(rawValue: 1), spec: spec, directory: "/card")
    return (opening, .create(new))
  }

  // Fault 193
  @Test func `the bytes of another program's file have no validator`() throws {
    files.put([1, 2, 3], at: "/card/a.iso")
    let (opening, plan) = continuing()
    let opened = try opening.open(plan)
    #expect(opened.resumeData.durable == ByteRangeSet(prefix: 3))
    #expect(opened.resumeData.validator == nil)
    #expect(opened.resumeData.hasUnprovedBytes)
    #expect(opened.resumeData.finalName == "a.iso")
    #expect(files.bytes(at: "/card/a.iso.part") == [1, 2, 3])
  }

  // Fault 194
  @Test func `a file that is longer than the response is left alone`() throws {
    files.put([UInt8](repeating: 1, count: 10), at: "/card/a.iso")
    let (opening, plan) = continuing()
    let opened = try opening.open(plan)
    #expect(opened.freshStart == .otherBeginning)
    #expect(opened.resumeData.finalName == "a (2).iso")
    #expect(opened.resumeData.continued == nil)
    let (skipping, same) = continuing(.skip)
    let expected = TransferFailure(
      .notContinued, on: "/card/a.iso", detail: "it is not the beginning of this one")
    #expect(throws: expected) { _ = try skipping.open(same) }
  }

  // Fault 198
  @Test func `a copy that is stopped leaves nothing`() throws {
    files.put([1, 2, 3], at: "/card/a.iso")
    let (opening, plan) = continuing()
    let copying = LiveCopying()
    copying.abandon()
    #expect(throws: TransferFailure(.cancelled, on: "/card/a.iso")) {
      _ = try opening.open(plan, copying)
    }
    #expect(files.paths == ["/card/a.iso"])
  }
}
