import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// A dead link that is refreshed by a download from the page that it came from.
struct DeadLinkTests {
  let body = SeededBody(seed: 61, byteCount: 4 << 20)
  var truth: OriginBehavior { OriginBehavior(body).with { $0.bytesPerSecond = 16 << 20 } }

  /// What a browser hands over.
  private func give(_ spec: inout TransferSpec, visit: Int, byteCount: Int64? = nil) throws {
    let page = try TransferURL.parse("https://page.example/files?visit=\(visit)").get().url
    spec.name = FileName(foreign: "a.iso")
    spec.headers = [HeaderField(name: "Referer", value: page.text)].compactMap(\.self)
    spec.options.page = DownloadPage(page, byteCount: byteCount ?? body.byteCount)
  }

  /// A transfer that has received bytes and waits for a link.
  private func waiting(_ world: WireWorld) async throws -> TransferID {
    let id = try await world.begin(truth) { spec in try? give(&spec, visit: 1) }
    try await world.goOn(id, after: .pause) { _ in .status(410) }
    let row = try await world.end(of: id)
    try #require(row.reason == .needsLink)
    #expect(row.page == "https://page.example/files?visit=1")
    return id
  }

  /// A download that the browser has given up.
  private func handed(
    _ world: WireWorld, _ path: String, byteCount: Int64? = nil
  ) async throws -> TransferID {
    try await world.add(path) { spec in
      try? give(&spec, visit: 2, byteCount: byteCount)
      spec.beginning = .paused
    }
  }

  // Fault 45
  @Test(arguments: [false, true])
  func `the same file from the same page continues the transfer with every byte`(
    isRestarted: Bool
  ) async throws {
    let world = try await WireWorld()
    let id = try await waiting(world)
    world.origin.serve(truth, at: "/fresh")
    if isRestarted { try await world.restart(after: .crash) }
    let new = try await handed(world, "/fresh")
    #expect(await world.engine.begin(new) == .continues(id))
    try await world.wait("completion", for: id) { $0.state == .completed }
    let row = try #require(world.row(of: id))
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == nil)
    #expect(row.page == nil)
    #expect(await world.engine.details(of: new) == nil)
    world.expectNothingHeldIsAskedAgain(
      world.origin.requests(at: "/fresh")[...], exceptLast: WireWorld.overlapByteCount)
    let request = try #require(world.origin.requests(at: "/fresh").first)
    #expect(request.value(of: "Referer") == "https://page.example/files?visit=2")
    // The page is remembered as it was seen last.
    #expect(try await world.record(of: id).spec.page?.query == "visit=2")
  }

  // Fault 139
  @Test func `other bytes with the same name and size discard nothing, and are then a new file`()
    async throws
  {
    let world = try await WireWorld()
    let id = try await waiting(world)
    let held = try #require(world.row(of: id)).bytesReceived
    let other = SeededBody(seed: 62, byteCount: body.byteCount)
    // With the tag of the file that the transfer has begun.
    let tag = "\"\(String(body.seed, radix: 16))-\(body.byteCount)\""
    world.origin.serve(OriginBehavior(other).with { $0.entityTag = .fixed(tag) }, at: "/other")
    let wrong = try await handed(world, "/other")
    #expect(await world.engine.begin(wrong) == .continues(id))
    try await world.wait("an answer", for: id) { $0.error?.code == .otherFile }
    #expect(world.row(of: id)?.bytesReceived == held)
    // What the page has now is another file, so it is no longer offered as the link of this one.
    #expect(world.row(of: id)?.page == nil)
    let again = try await handed(world, "/other")
    #expect(await world.engine.begin(again) == .started)
    let row = try await world.end(of: again)
    #expect(row.state == .completed)
    #expect(other.difference(fromFileAt: try #require(row.path)) == nil)
    world.origin.serve(truth, at: "/right")
    _ = await world.engine.start(id, with: try world.origin.url("/right"))
    try await world.wait("completion", for: id) { $0.state == .completed }
    #expect(body.difference(fromFileAt: try #require(world.row(of: id)?.path)) == nil)
  }

  // Fault 45
  @Test func `another size is a new file, and so is what two transfers wait for`() async throws {
    let world = try await WireWorld()
    let id = try await waiting(world)
    let longer = SeededBody(seed: 63, byteCount: body.byteCount + 1)
    world.origin.serve(OriginBehavior(longer), at: "/longer")
    let new = try await handed(world, "/longer", byteCount: longer.byteCount)
    #expect(await world.engine.begin(new) == .started)
    #expect(try await world.end(of: new).state == .completed)
    #expect(world.row(of: id)?.reason == .needsLink)

    world.origin.serve(.status(404), at: "/never")
    let second = try await world.add("/never") { spec in try? give(&spec, visit: 3) }
    #expect(try await world.end(of: second).state == .failed)
    world.origin.serve(truth, at: "/fresh")
    let third = try await handed(world, "/fresh")
    #expect(await world.engine.begin(third) == .started)
    let row = try await world.end(of: third)
    #expect(body.difference(fromFileAt: try #require(row.path)) == nil)
    #expect(world.row(of: id)?.reason == .needsLink)
    #expect(world.row(of: second)?.state == .failed)
  }

  // Fault 45
  @Test func `what has begun, and what is not there, gives its link to nobody`() async throws {
    let world = try await WireWorld()
    let id = try await waiting(world)
    #expect(await world.engine.begin(TransferID(rawValue: 99)) == .refused(.unknown))
    world.origin.serve(truth, at: "/fresh")
    let running = try await world.add("/fresh") { spec in
      try? give(&spec, visit: 2)
      spec.name = FileName(foreign: "b.iso")
    }
    #expect(try await world.end(of: running).state == .completed)
    #expect(await world.engine.begin(running) == .refused(.completed))
    #expect(world.row(of: id)?.reason == .needsLink)
  }
}
