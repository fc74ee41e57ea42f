import Foundation
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct ManualCommandTests {
  @Test func `the pages are written with the time of the sources`() async throws {
    let directory = try TemporaryDirectory()
    var context = FakeContext()
    context.directory = directory.path
    context.environment["SOURCE_DATE_EPOCH"] = "0"
    #expect(await context.run("manual", "a/man") == .init(code: 0, output: "", error: ""))
    let page = try String(contentsOfFile: directory.path + "/a/man/kettle-add.1", encoding: .utf8)
    #expect(page.hasPrefix(".Dd January 1, 1970\n.Dt KETTLE-ADD 1\n"))
    context.environment["SOURCE_DATE_EPOCH"] = "yesterday"
    #expect(await context.run("manual", "a/man").code == 0)
    let later = try String(contentsOfFile: directory.path + "/a/man/kettle-add.1", encoding: .utf8)
    #expect(later.hasPrefix(".Dd November 21, 2026\n"))
  }

  @Test func `a directory that cannot be made is reported`() async throws {
    let directory = try TemporaryDirectory()
    try Data().write(to: URL(filePath: directory.path + "/file"))
    var context = FakeContext()
    context.directory = directory.path
    #expect(
      await context.run("manual", "file/man")
        == .init(
          code: 1, output: "",
          error: "kettle: The manual pages could not be written into \"file/man\"; name another "
            + "directory\n"))
  }
}
