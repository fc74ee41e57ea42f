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
    spec.name = name
    return BodyOpening(files: files, id: TransferID(rawValue: 1), spec: spec, directory: "/card")
  }

  private func plan(_ name: String, total: Int64) -> BodyPlan {
    .create(BodyPlan.NewFile(preferredName: name, total: total, validator: nil))
  }

  // Fault 195
  @Test func `a file that is too large for its file system fails before its first byte`() throws {
    files.setLargestFile(byteCount: 1000)
    let expected = TransferFailure(.fileProblem, on: "/card/a.iso", detail: FileTrouble.tooLarge)
    #expect(throws: expected) { _ = try opening().open(plan("a.iso", total: 1001)) }
    #expect(files.paths.isEmpty)
    _ = try opening().open(plan("a.iso", total: 1000))
    #expect(files.paths == ["/card/a.iso.part"])
  }

  // Fault 194
  @Test func `only a name that nobody typed is cut`() throws {
    files.setFittedName(byteCountMax: 10)
    _ = try opening().open(plan("0123456789.iso", total: 1))
    _ = try opening(named: "typed 0123456789.iso").open(plan("typed 0123456789.iso", total: 1))
    #expect(files.paths == ["/card/012345.iso.part", "/card/typed 0123456789.iso.part"])
  }
}
