import Foundation
import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Collections: a list is read, and its files are fetched as ordinary transfers.
struct CollectionTests {
  private static func text(_ name: String) -> [UInt8] { Array("the file \(name)\n".utf8) }

  private static func digest(_ name: String) -> String {
    TestDigest.hex(of: text(name), .sha256) ?? ""
  }

  /// Serves files below a path.
  private func serve(_ names: [String], below path: String, on origin: ScriptedOrigin) {
    for name in names {
      origin.serve(.whole(Self.text(name), mediaType: "text/plain"), at: path + name)
    }
  }

  private func page(_ links: [String]) -> OriginBehavior {
    let list = links.map { "<a href=\"\($0)\">\($0)</a>" }.joined(separator: "\n")
    return .whole(
      Array("<html><body><pre>\(list)</pre></body></html>".utf8), mediaType: "text/html")
  }

  private func list(_ lines: [String]) -> OriginBehavior {
    .whole(Array(lines.joined(separator: "\n").utf8), mediaType: "text/plain")
  }

  private func index(
    _ path: String, in world: WireWorld, depth: Int? = nil, include: [String] = []
  ) async throws -> TransferID {
    let url = try world.origin.url(path)
    return try await world.add(path) { spec in
      spec.directory = world.home.documents + "/data"
      spec.options.collection = CollectionRequest(
        CollectionSource(.index, name: url.text, url: url),
        choice: MemberChoice(include: include, depth: depth))
    }
  }

  private func sums(_ path: String, in world: WireWorld) async throws -> TransferID {
    let url = try world.origin.url(path)
    return try await world.add(path) { spec in
      spec.directory = world.home.documents + "/data"
      spec.options.collection = CollectionRequest(
        CollectionSource(.checksums, name: url.text, url: url))
    }
  }

  private func expectFile(
    _ path: String, _ name: String, in world: WireWorld,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let found = world.home.bytes(of: "data/" + path)
    let names =
      (try? FileManager.default.contentsOfDirectory(
        atPath: world.home.documents + "/data")) ?? []
    #expect(
      found == Self.text(name), "\(names.sorted()); \(world.told.read { $0 })",
      sourceLocation: location)
  }

  @Test func `a directory is fetched with its subdirectories`() async throws {
    let world = try await WireWorld()
    world.origin.serve(page(["../", "a.txt", "sub/", "?C=N;O=D"]), at: "/pub/")
    world.origin.serve(page(["../", "b.txt", "deep/"]), at: "/pub/sub/")
    world.origin.serve(page(["../", "c.txt"]), at: "/pub/sub/deep/")
    serve(["a.txt", "sub/b.txt", "sub/deep/c.txt"], below: "/pub/", on: world.origin)
    let row = try await world.end(of: index("/pub/", in: world))
    #expect(row.state == .completed, "\(world.told.read { $0 })")
    #expect(row.path == world.home.documents + "/data")
    #expect(row.collection?.memberCount == 3)
    for path in ["a.txt", "sub/b.txt", "sub/deep/c.txt"] { expectFile(path, path, in: world) }
  }

  @Test func `only chosen files and directories are fetched`() async throws {
    let world = try await WireWorld()
    world.origin.serve(page(["a.txt", "b.bin", "sub/"]), at: "/pub/")
    serve(["a.txt"], below: "/pub/", on: world.origin)
    let row = try await world.end(of: index("/pub/", in: world, depth: 0, include: ["*.txt"]))
    #expect(row.state == .completed)
    #expect(row.collection?.memberCount == 1)
    #expect(world.origin.requests(at: "/pub/sub/").isEmpty)
    #expect(world.origin.requests(at: "/pub/b.bin").isEmpty)
  }

  @Test func `a file that is not the listed one is not completed`() async throws {
    let world = try await WireWorld()
    world.origin.serve(
      list(["\(Self.digest("a.txt"))  a.txt", "\(Self.digest("other"))  sub/b.txt"]),
      at: "/SHA256SUMS")
    serve(["a.txt", "sub/b.txt"], below: "/", on: world.origin)
    let id = try await sums("/SHA256SUMS", in: world)
    let row = try await world.end(of: id)
    #expect(row.state == .failed)
    #expect(row.error?.code == .membersFailed)
    #expect(row.error?.detail == "1 of 2")
    expectFile("a.txt", "a.txt", in: world)
    #expect(world.home.bytes(of: "data/sub/b.txt") == nil)
    // The server sends the right one from now on.
    world.origin.serve(.whole(Self.text("other"), mediaType: "text/plain"), at: "/sub/b.txt")
    await world.start(id)
    let again = try await world.end(of: id)
    #expect(again.state == .completed, "\(world.told.read { $0 })")
    expectFile("sub/b.txt", "other", in: world)
    #expect(world.origin.requests(at: "/a.txt").count == 1)
  }

  @Test func `a failed collection goes on when its file is started`() async throws {
    let world = try await WireWorld()
    world.origin.serve(
      list(["\(Self.digest("a"))  a", "\(Self.digest("b"))  b"]), at: "/SHA256SUMS")
    serve(["a"], below: "/", on: world.origin)
    let id = try await sums("/SHA256SUMS", in: world)
    #expect(try await world.end(of: id).error?.detail == "1 of 2")
    serve(["b"], below: "/", on: world.origin)
    let members = await world.engine.withMembers([id]).dropFirst()
    await world.start(try #require(members.last))
    #expect(try await world.end(of: id).state == .completed, "\(world.told.read { $0 })")
    expectFile("b", "b", in: world)
  }

  @Test func `a control applies to the files as well`() async throws {
    let world = try await WireWorld()
    world.origin.serve(
      list(["\(Self.digest("a"))  a", "\(Self.digest("b"))  b"]), at: "/SHA256SUMS")
    for name in ["/a", "/b"] {
      var stalled = OriginBehavior(SeededBody(seed: 1, byteCount: 1000))
      stalled.stall = OriginBehavior.Stall(after: 10, until: "never")
      world.origin.serve(stalled, at: name)
    }
    let id = try await sums("/SHA256SUMS", in: world)
    try await world.wait("its files", for: id) { $0.reason == .members }
    _ = try await world.told.wait(for: "the files run", budgetMilliseconds: 20_000) { told in
      told.rows.values.count { $0.member != nil && $0.state == .running } == 2
    }
    await world.pause(id)
    #expect(world.told.read { $0.rows.values.allSatisfy { $0.state == .paused } })
    serve(["a", "b"], below: "/", on: world.origin)
    await world.start(id)
    #expect(try await world.end(of: id).state == .completed)
    _ = await world.engine.removeWithFiles([id])
    #expect(world.told.read { $0.rows.isEmpty })
    #expect(world.home.bytes(of: "data/a") == nil)
  }

  @Test func `after crashes the files that are missing are added once`() async throws {
    let world = try await WireWorld()
    let names = (1...40).map { "file-\($0)" }
    world.origin.serve(list(names.map { "\(Self.digest($0))  \($0)" }), at: "/SHA256SUMS")
    serve(names, below: "/", on: world.origin)
    let id = try await sums("/SHA256SUMS", in: world)
    try await world.wait("its files", for: id) { $0.reason == .members || $0.state.isFinished }
    for _ in 0..<4 { try await world.restart(after: .crash) }
    let row = try await world.end(of: id)
    #expect(row.state == .completed)
    for name in names { expectFile(name, name, in: world) }
    #expect(await world.engine.withMembers([id]).count == 1 + names.count)
  }

  @Test func `hostile names stay below the directory`() async throws {
    let world = try await WireWorld()
    let names = ["../x", "/etc/x", "a/../../x", "..", "%2e%2e/x", ".bashrc", "A.txt", "a.txt"]
    world.origin.serve(list(names.map { "\(Self.digest("x"))  \($0)" }), at: "/d/SHA256SUMS")
    for path in ["/d/%252e%252e/x", "/d/.bashrc", "/d/A.txt", "/d/a.txt"] {
      world.origin.serve(.whole(Self.text("x"), mediaType: "text/plain"), at: path)
    }
    let row = try await world.end(of: sums("/d/SHA256SUMS", in: world))
    #expect(row.state == .completed, "\(world.told.read { $0 })")
    #expect(world.home.names == ["data"])
    expectFile("_bashrc", "x", in: world)
    expectFile("A.txt", "x", in: world)
    expectFile("a (2).txt", "x", in: world)
  }

  @Test func `secrets go only to the origin that they were given for`() async throws {
    let world = try await WireWorld()
    let other = try ScriptedOrigin(lastByte: 2)
    serve(["a", "b"], below: "/", on: world.origin)
    serve(["b"], below: "/", on: other)
    let lines = [
      #"{"path": "a", "sha256": "\#(Self.digest("a"))"}"#,
      #"{"path": "b", "url": "\#(try other.url("/b").text)", "sha256": "\#(Self.digest("b"))"}"#,
    ]
    world.origin.serve(list(lines), at: "/all.jsonl")
    let url = try world.origin.url("/all.jsonl")
    let id = try await world.add("/all.jsonl") { spec in
      spec.login = Login(user: "anna", password: "secret")
      spec.headers = [HeaderField(received: "X-Secret", "1")]
      spec.options.collection = CollectionRequest(
        CollectionSource(.lines, name: url.text, url: url))
    }
    #expect(try await world.end(of: id).state == .completed, "\(world.told.read { $0 })")
    #expect(world.origin.requests(at: "/a").allSatisfy { $0.value(of: "X-Secret") == "1" })
    #expect(!other.requests.isEmpty)
    #expect(other.requests.allSatisfy { $0.value(of: "X-Secret") == nil })
    #expect(other.requests.allSatisfy { $0.value(of: "Authorization") == nil })
  }

  @Test func `a page that lists nothing fails, and a start reads it again`() async throws {
    let world = try await WireWorld()
    world.origin.serve(page([]), at: "/pub/")
    let id = try await index("/pub/", in: world)
    let row = try await world.end(of: id)
    #expect(row.state == .failed)
    #expect(row.error?.code == .listUnusable)
    world.origin.serve(page(["a.txt"]), at: "/pub/")
    serve(["a.txt"], below: "/pub/", on: world.origin)
    await world.start(id)
    #expect(try await world.end(of: id).state == .completed)
  }
}
