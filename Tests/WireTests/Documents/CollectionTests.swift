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
    // Caddy gives exact sizes to those who take JSON, others keep their pages.
    let accepted = world.origin.requests(at: "/pub/").first?.value(of: "Accept")
    #expect(accepted?.hasPrefix("text/html, application/json;") == true)
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

  @Test(arguments: [false, true])
  func `what robots.txt asks for is left out`(isIgnored: Bool) async throws {
    let world = try await WireWorld()
    world.origin.serve(page(["a.txt", "b.txt", "old/"]), at: "/pub/")
    world.origin.serve(page(["c.txt"]), at: "/pub/old/")
    world.origin.serve(
      list(["User-agent: *", "Disallow: /pub/b.txt", "Disallow: /pub/old/"]), at: "/robots.txt")
    serve(["a.txt", "b.txt", "old/c.txt"], below: "/pub/", on: world.origin)
    let url = try world.origin.url("/pub/")
    let id = try await world.add("/pub/") { spec in
      spec.directory = world.home.documents + "/data"
      spec.options.collection = CollectionRequest(
        CollectionSource(.index, name: url.text, url: url))
      spec.options.collection?.ignoresRobots = isIgnored ? true : nil
    }
    let row = try await world.end(of: id)
    #expect(row.state == .completed, "\(world.told.read { $0 })")
    #expect(row.collection?.memberCount == (isIgnored ? 3 : 1))
    #expect(row.collection?.refusedCount == (isIgnored ? 0 : 2))
    #expect(world.origin.requests(at: "/robots.txt").count == (isIgnored ? 0 : 1))
    #expect(world.origin.requests(at: "/pub/old/").isEmpty == !isIgnored)
  }

  @Test func `a directory that robots.txt keeps to itself says so`() async throws {
    let world = try await WireWorld()
    world.origin.serve(page(["a.txt"]), at: "/pub/")
    world.origin.serve(list(["User-agent: *", "Disallow: /"]), at: "/robots.txt")
    let row = try await world.end(of: index("/pub/", in: world))
    #expect(row.error?.code == .listUnusable)
    #expect(row.error?.detail?.contains("robots.txt") == true)
    #expect(world.origin.requests(at: "/a.txt").isEmpty)
  }

  @Test func `a Metalink of several files is a collection with mirrors`() async throws {
    let world = try await WireWorld()
    let other = try ScriptedOrigin(lastByte: 2)
    serve(["a.txt"], below: "/", on: world.origin)
    serve(["sub/b.txt"], below: "/", on: other)
    // The first mirror does not have it.
    let files = try ["a.txt", "sub/b.txt"].map { name in
      """
      <file name="\(name)"><hash type="sha-256">\(Self.digest(name))</hash>
      <url priority="1">\(try world.origin.url("/" + name).text)</url>
      <url priority="2">\(try other.url("/" + name).text)</url></file>
      """
    }
    let text = "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(files.joined())</metalink>"
    world.origin.serve(
      .whole(Array(text.utf8), mediaType: "application/metalink4+xml"), at: "/all.meta4")
    let id = try await world.add("/all.meta4") { spec in
      spec.directory = world.home.documents + "/data"
    }
    let row = try await world.end(of: id)
    #expect(row.state == .completed, "\(world.told.read { $0 })")
    #expect(row.collection?.memberCount == 2)
    for name in ["a.txt", "sub/b.txt"] { expectFile(name, name, in: world) }
    #expect(world.origin.requests(at: "/all.meta4").count == 1)
    // It stays one after a restart, and its list can be read again.
    try await world.restart(after: .crash)
    world.origin.serve(.whole(Self.text("a.txt"), mediaType: "text/plain"), at: "/a.txt")
    _ = try await world.engine.sync(id, .init(removesGone: false, pauses: false))
    try await waitForSync(id, afterRestart: true, in: world)
    let known = await world.engine.details(of: id)?.snapshot
    #expect(known?.collection?.lastSync?.newCount == 0)
    #expect(known?.collection?.memberCount == 2)
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

  @Test func `a file of another size than listed fails the collection`() async throws {
    let world = try await WireWorld()
    world.origin.serve(list([#"{"path": "a", "size": 12}"#]), at: "/all.jsonl")
    serve(["a"], below: "/", on: world.origin)
    let url = try world.origin.url("/all.jsonl")
    let id = try await world.add("/all.jsonl") { spec in
      spec.directory = world.home.documents + "/data"
      spec.options.collection = CollectionRequest(
        CollectionSource(.lines, name: url.text, url: url))
    }
    #expect(try await world.end(of: id).error?.detail == "1 of 1")
    #expect(world.home.bytes(of: "data/a") == nil)
    world.origin.serve(.whole(Self.text("a!"), mediaType: "text/plain"), at: "/a")
    await world.start(id)
    #expect(try await world.end(of: id).state == .completed, "\(world.told.read { $0 })")
    expectFile("a", "a!", in: world)
  }

  @Test(arguments: [
    (
      "403 Forbidden", "<Error><Code>AccessDenied</Code><Message>No.</Message></Error>",
      #"the service returned "AccessDenied: No.", with the status 403"#
    ),
    ("404 Not Found", "<html></html>", "it is not the list of a bucket, with the status 404"),
    (
      "404 Not Found", "<ListBucketResult><Contents><Key>x/a</Key></Contents></ListBucketResult>",
      "it is an error, with the status 404"
    ),
  ])
  func `what a service says of an error is the reason`(
    status: String, body: String, words: String
  ) async throws {
    let world = try await WireWorld()
    world.origin.serve(
      .raw("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"),
      at: "/data/")
    let url = try world.origin.url("/data/?encoding-type=url&list-type=2&prefix=x%2F")
    let id = try await world.add("/data/") { spec in
      spec.source = ChainedURL(given: url)
      spec.options.collection = CollectionRequest(
        CollectionSource(.bucket, name: "s3://data/x/", url: url))
    }
    let row = try await world.end(of: id)
    #expect(row.error?.code == .listUnusable)
    #expect(row.error?.detail?.hasPrefix(words) == true, "\(row.error?.detail ?? "")")
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
    // One that had ended before the last crash is not announced again.
    if await world.engine.details(of: id)?.snapshot.state != .completed {
      #expect(try await world.end(of: id).state == .completed)
    }
    for name in names { expectFile(name, name, in: world) }
    #expect(await world.engine.withMembers([id]).count == 1 + names.count)
  }

  @Test func `the user chooses files before the start`() async throws {
    let world = try await WireWorld()
    let names = ["a", "b", "c", "d"]
    serve(names, below: "/", on: world.origin)
    world.origin.serve(list(names.map { "\(Self.digest($0))  \($0)" }), at: "/SHA256SUMS")
    let url = try world.origin.url("/SHA256SUMS")
    let id = try await world.add("/SHA256SUMS") { spec in
      spec.directory = world.home.documents + "/data"
      spec.options.collection = CollectionRequest(
        CollectionSource(.checksums, name: url.text, url: url))
      spec.options.collection?.pausesWhenListed = true
    }
    try await world.wait("the list", for: id) { $0.collection?.waitsForChoice == true }
    #expect(world.row(of: id)?.state == .paused)
    let listed = try await world.engine.listedMembers(of: id, from: 0, countMax: 10)
    #expect(listed.map(\.member.path.text) == names)
    #expect(
      try await world.engine.choose(id, leavingOut: [MemberRun(first: 1, last: 2)]))
    let row = try await world.end(of: id)
    #expect(row.state == .completed)
    #expect(row.collection?.memberCount == 2)
    #expect(row.collection?.waitsForChoice == nil)
    for name in ["a", "d"] { expectFile(name, name, in: world) }
    #expect(world.home.bytes(of: "data/b") == nil)
    // The choice holds for later lists, and is made once.
    #expect(try await world.engine.choose(id, leavingOut: []) == false)
    _ = try await world.engine.sync(id, .init(removesGone: true, pauses: false))
    try await waitForSync(id, in: world)
    #expect(world.row(of: id)?.collection?.lastSync?.newCount == 0)
    #expect(world.row(of: id)?.collection?.memberCount == 2)
    #expect(world.origin.requests(at: "/b").isEmpty)
  }

  // MARK: Syncing

  private func sums(_ names: [String: String]) -> OriginBehavior {
    list(names.sorted { $0.key < $1.key }.map { "\(Self.digest($0.value))  \($0.key)" })
  }

  /// A collection of three files, whose list then has a new one, a changed one and one less.
  private func changed(in world: WireWorld) async throws -> TransferID {
    serve(["same", "changed", "gone"], below: "/", on: world.origin)
    world.origin.serve(
      sums(["same": "same", "changed": "changed", "gone": "gone"]), at: "/SHA256SUMS")
    let id = try await sums("/SHA256SUMS", in: world)
    #expect(try await world.end(of: id).state == .completed)
    serve(["new"], below: "/", on: world.origin)
    world.origin.serve(.whole(Self.text("other"), mediaType: "text/plain"), at: "/changed")
    world.origin.serve(sums(["same": "same", "changed": "other", "new": "new"]), at: "/SHA256SUMS")
    return id
  }

  private func waitForSync(
    _ id: TransferID, afterRestart: Bool = false, in world: WireWorld
  ) async throws {
    if afterRestart {
      let known = await world.engine.details(of: id)?.snapshot
      // One that had ended before is not announced again.
      if known?.state == .completed, known?.collection?.lastSync != nil { return }
    }
    try await world.wait("the sync and its files", for: id) {
      $0.state == .completed && $0.collection?.lastSync != nil
    }
  }

  /// Waits until a transfer is removed, for a number of turns.
  private func isRemoved(_ id: TransferID, in world: WireWorld) async -> Bool {
    for _ in 0..<10_000 {
      if await world.engine.details(of: id) == nil { return true }
      await Task.yield()
    }
    return false
  }

  @Test(arguments: [false, true])
  func `a sync fetches what is new or changed`(removesGone: Bool) async throws {
    let world = try await WireWorld()
    let id = try await changed(in: world)
    let added = try await world.engine.sync(
      id, .init(removesGone: removesGone, pauses: false))
    let list = try #require(added)
    try await waitForSync(id, in: world)
    for (path, text) in [("same", "same"), ("changed", "other"), ("new", "new")] {
      expectFile(path, text, in: world)
    }
    #expect((world.home.bytes(of: "data/gone") == nil) == removesGone)
    #expect(world.origin.requests(at: "/same").count == 1)
    let row = try #require(world.row(of: id))
    #expect(row.collection?.memberCount == (removesGone ? 3 : 4))
    let report = try #require(row.collection?.lastSync)
    #expect(report.newCount == 1 && report.changedCount == 1 && report.goneCount == 1)
    #expect(report.removedGone == removesGone)
    // The transfer that has read the list is gone, and the earlier file can be restored.
    #expect(await isRemoved(list, in: world))
    #expect(try await world.engine.binContents().isEmpty == false)
  }

  @Test func `a list that was read again can be looked at first`() async throws {
    let world = try await WireWorld()
    let id = try await changed(in: world)
    let added = try await world.engine.sync(id, .init(removesGone: false, pauses: true))
    let list = try #require(added)
    try await world.wait("the list", for: list) { $0.state == .paused }
    for (change, path) in [MemberChange.new: "new", .changed: "changed", .gone: "gone"] {
      let files = try await world.engine.changed(change, of: id, in: list, from: 0, countMax: 10)
      #expect(files.map(\.path.text) == [path])
      #expect(try await world.engine.sum(of: change, of: id, in: list).count == 1)
    }
    expectFile("changed", "changed", in: world)
    #expect(world.row(of: id)?.state == .completed)
    // A removal of the transfer leaves the collection as it is.
    _ = await world.engine.control(.remove(.stays), [list])
    #expect(world.row(of: id)?.collection?.lastSync == nil)
    #expect(world.row(of: id)?.collection?.memberCount == 3)
    // Another one is started.
    let again = try await world.engine.sync(id, .init(removesGone: false, pauses: true))
    let other = try #require(again)
    try await world.wait("the list", for: other) { $0.state == .paused }
    await world.start(other)
    try await waitForSync(id, in: world)
    expectFile("changed", "other", in: world)
  }

  @Test func `a sync that a crash interrupts goes on`() async throws {
    let world = try await WireWorld()
    let id = try await changed(in: world)
    let added = try await world.engine.sync(id, .init(removesGone: false, pauses: false))
    for _ in 0..<3 { try await world.restart(after: .crash) }
    try await waitForSync(id, afterRestart: true, in: world)
    for (path, text) in [("same", "same"), ("changed", "other"), ("new", "new"), ("gone", "gone")] {
      expectFile(path, text, in: world)
    }
    let list = try #require(added)
    #expect(await isRemoved(list, in: world))
  }

  @Test func `a collection is synced when it is time`() async throws {
    let world = try await WireWorld()
    let id = try await changed(in: world)
    await world.engine.syncDue()
    #expect(world.row(of: id)?.collection?.lastSync == nil)
    #expect(await world.engine.syncs(id, everyMilliseconds: 0))
    try await world.restart(after: .shutDown)
    await world.engine.syncDue()
    try await waitForSync(id, afterRestart: true, in: world)
    expectFile("changed", "other", in: world)
    expectFile("gone", "gone", in: world)
  }

  @Test func `an edited file is kept when its source changes`() async throws {
    let world = try await WireWorld()
    let id = try await changed(in: world)
    try world.home.put(Array("mine".utf8), as: "data/changed")
    _ = try await world.engine.sync(id, .init(removesGone: false, pauses: false))
    try await waitForSync(id, in: world)
    #expect(world.home.bytes(of: "data/changed") == Array("mine".utf8))
    expectFile("changed (2)", "other", in: world)
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
