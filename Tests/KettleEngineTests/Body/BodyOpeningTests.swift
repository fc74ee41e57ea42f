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
}
