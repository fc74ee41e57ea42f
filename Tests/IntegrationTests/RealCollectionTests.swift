import Foundation
import KettleModel
import Testing
import TestSupport

/// The commands about collections, through the real program.
@Suite(.timeLimit(.minutes(3)))
struct RealCollectionTests {
  private let home: KettleHome
  private let origin: ScriptedOrigin

  init() throws {
    home = try KettleHome()
    origin = try ScriptedOrigin()
  }

  private func text(_ name: String) -> [UInt8] { Array("the file \(name)\n".utf8) }

  /// Serves files and the list of them: each path with the text that it has.
  private func serve(_ files: KeyValuePairs<String, String>) throws {
    var lines: [String] = []
    for (path, content) in files {
      origin.serve(.whole(text(content), mediaType: "text/plain"), at: "/d/" + path)
      lines.append("\(try #require(TestDigest.hex(of: text(content), .sha256)))  \(path)")
    }
    origin.serve(
      .whole(Array(lines.joined(separator: "\n").utf8), mediaType: "text/plain"),
      at: "/d/SHA256SUMS")
  }

  private func file(_ path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: home.path + "/data/" + path).map { [UInt8]($0) }
  }

  private func add() async throws -> String {
    let added = try await home.kettle(
      "add", "--to", home.path + "/data", origin.url("/d/SHA256SUMS").text)
    #expect(added.code == 0, "\(added.errors)")
    return added.output.trimmed
  }

  @Test func `a dry run prints what a list has and fetches nothing`() async throws {
    try serve(["a.txt": "a", "sub/b.txt": "b"])
    let url = try origin.url("/d/SHA256SUMS").text
    let shown = try await home.kettle("add", "--dry-run", url)
    #expect(shown.code == 0, "\(shown.errors)")
    let lines = shown.output.split(separator: "\n").map { String($0).trimmed }
    #expect(lines == ["a.txt", "sub/b.txt"])
    #expect(shown.errors.contains("2 files of unknown size; "), "\(shown.errors)")
    #expect(try await home.rows().isEmpty)
    #expect(origin.requests(at: "/d/a.txt").isEmpty)
    // A file is no collection.
    let refused = try await home.kettle("add", "--dry-run", origin.url("/d/a.txt").text)
    #expect(refused.code == 2)
    let missing = try await home.kettle("add", "--dry-run", origin.url("/no/SHA256SUMS").text)
    #expect(missing.code == 1)
    #expect(missing.errors.contains("404"), "\(missing.errors)")
    #expect(try await home.rows().isEmpty)
  }

  @Test func `a sync says what it brings, and brings it`() async throws {
    try serve(["same": "same", "changed": "changed", "gone": "gone"])
    let id = try await add()
    #expect(try await home.kettle("wait", id, "--timeout", "60").code == 0)
    let current = try await home.kettle("sync", id, "--dry-run")
    #expect(current.errors == "Collection \(id) is up to date\n")
    try serve(["same": "same", "changed": "other", "new": "new"])
    let dry = try await home.kettle("sync", id, "--dry-run")
    #expect(dry.code == 0)
    #expect(
      dry.output == """
        new     new
        changed changed
        gone    gone

        """)
    #expect(
      dry.errors == """
        Collection \(id): 1 new, 1 changed, 1 gone, kept (--delete moves them to the bin); \
        nothing was done

        """)
    #expect(file("changed") == text("changed"))
    let real = try await home.kettle("sync", id, "--delete", "--json")
    #expect(real.code == 0, "\(real.errors)")
    let parsed = try JSONSerialization.jsonObject(with: Data(real.output.utf8))
    let changes = try #require(parsed as? [[String: Any]]).map { $0["change"] as? String }
    #expect(changes == ["new", "changed", "gone"])
    #expect(try await home.kettle("wait", id, "--timeout", "60").code == 0)
    for (path, content) in [("same", "same"), ("changed", "other"), ("new", "new")] {
      #expect(file(path) == text(content), "\(path)")
    }
    #expect(file("gone") == nil)
    // It is up to date now, and there is one collection.
    #expect(
      try await home.kettle("sync", "--all").errors == "Collection \(id) is up to date\n")
    let shown = try await home.kettle("collections").output.split(separator: "\n")
    #expect(shown.count == 1)
    #expect(shown.first?.contains(": nothing new") == true, "\(shown)")
  }

  @Test func `a list that cannot be read again leaves the collection as it is`() async throws {
    try serve(["a": "a"])
    let id = try await add()
    #expect(try await home.kettle("wait", id, "--timeout", "60").code == 0)
    origin.serve(.status(404, headers: [], text: "gone"), at: "/d/SHA256SUMS")
    let failed = try await home.kettle("sync", id)
    #expect(failed.code == 1)
    #expect(failed.errors.contains("404"), "\(failed.errors)")
    #expect(try await home.rows().count == 1)
    #expect(try await home.state(of: id) == "completed")
    #expect(try await home.kettle("sync", "999").code == 2)
    #expect(try await home.kettle("sync", id, "--every", "5s").code == 2)
    let unused = try await home.kettle("sync", id, "--every", "1d", "--delete")
    #expect(unused.code == 2)
    #expect(unused.errors.contains("--delete"), "\(unused.errors)")
    #expect(
      try await home.kettle("sync", id, "--every", "1d").output
        == "Collection \(id) is synced every 1d\n")
  }

  /// Returns the status of a program that compares the files with `LIST`.
  private func check(_ program: String) async throws -> Int32 {
    try await home.run("/bin/sh", "-c", "cd \(home.path)/data && \(program) -c LIST").code
  }

  @Test func `a manifest proves the files on another machine`() async throws {
    try serve(["a.txt": "a", "sub/b.txt": "b"])
    let id = try await add()
    #expect(try await home.kettle("wait", id, "--timeout", "60").code == 0)
    let why = try await home.kettle("why", id, "--json")
    #expect(why.output.contains(#""completedCount": 2"#), "\(why.output)")
    let sums = try await home.kettle("manifest", id)
    #expect(sums.code == 0, "\(sums.errors)")
    let list = home.path + "/data/LIST"
    try Data(sums.output.utf8).write(to: URL(filePath: list))
    #expect(try await home.kettle("verify", "--manifest", list).code == 0)
    #expect(try await check("sha256sum") == 0)
    // Digests of another kind are computed, which finds damage.
    let md5 = try await home.kettle("manifest", id, "--format", "md5sums")
    try Data(md5.output.utf8).write(to: URL(filePath: list))
    #expect(try await check("md5sum") == 0)
    let lines = try await home.kettle("manifest", id, "--format", "jsonl")
    #expect(lines.output.contains(#""path": "sub/b.txt""#))
    try Data("damaged ".utf8 + text("a").dropFirst(8)).write(
      to: URL(filePath: home.path + "/data/a.txt"))
    let damaged = try await home.kettle("manifest", id, "--format", "md5sums")
    #expect(damaged.code == 1)
    #expect(damaged.output.split(separator: "\n").count == 1)
    #expect(damaged.errors.contains("a.txt"), "\(damaged.errors)")
    #expect(!damaged.errors.contains("0000"), "\(damaged.errors)")
  }
}
