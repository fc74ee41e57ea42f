import Foundation
import TestSupport
import Testing

/// The sources in `Generated` are part of this target, so every example is known to compile. These
/// tests check that they match the examples in the documentation.
struct GeneratedExamplesTests {
  private let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test func `the compiled examples match the documentation`() async throws {
    let fresh = FileManager.default.temporaryDirectory.appending(path: "examples-\(UUID())")
    try FileManager.default.createDirectory(at: fresh, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: fresh) }
    let programs = fresh.appending(path: "programs")
    let blocks = fresh.appending(path: "blocks")
    try #require(await run("assets/doc-examples.sh", [blocks.path(), programs.path()]) == 0)
    for (made, name) in [(blocks, "DocumentationTests"), (programs, "DocumentationPrograms")] {
      let made = try texts(in: made)
      let kept = try texts(in: root.appending(path: "Tests/\(name)/Generated"))
      #expect(made.count > 10)
      for name in Set(made.keys).union(kept.keys).sorted() where made[name] != kept[name] {
        Issue.record("\(name) is not what the documentation says; run \"make examples\"")
      }
    }
  }

  @Test func `an unterminated example is rejected`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "examples-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let paper = folder.appending(path: "open.md")
    try "```swift\nlet a = 5\n".write(to: paper, atomically: true, encoding: .utf8)
    let out = folder.path()
    let awk = [
      "-v", "out=\(out)", "-v", "programs_out=\(out)", "-f", "assets/doc-examples.awk",
      paper.path(),
    ]
    #expect(try await run("/usr/bin/awk", awk) == 1)
  }

  private func texts(in folder: URL) throws -> [String: String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path())
    return try Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
      })
  }

  /// Runs a program of the repository or of the system, and returns its exit status.
  private func run(_ path: String, _ arguments: [String]) async throws -> Int32 {
    let program = path.hasPrefix("/") ? path : root.appending(path: path).path()
    let script = "cd \"$0\" && exec \"$@\" < /dev/null"
    let running = try Running(
      "/bin/sh", ["-c", script, root.path(), program] + arguments,
      ["PATH": "/usr/bin:/bin"], output: "/dev/null")
    return await running.end()
  }
}
