import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// The file on the server has changed since the download began.
struct ChangedResourceTests {
  static let old = SeededBody(seed: 6, byteCount: 4 << 20)

  /// How the new version differs.
  enum Change: Sendable, CaseIterable {
    case sameSize, longer, shorter, shorterThanHeld

    var body: SeededBody {
      switch self {
      case .sameSize: SeededBody(seed: 7, byteCount: 4 << 20)
      case .longer: SeededBody(seed: 7, byteCount: 5 << 20)
      case .shorter: SeededBody(seed: 7, byteCount: 3 << 20)
      case .shorterThanHeld: SeededBody(seed: 7, byteCount: 100_000)
      }
    }
  }

  static func truth(_ body: SeededBody) -> OriginBehavior {
    OriginBehavior(body).with { $0.bytesPerSecond = 16 << 20 }
  }

  // Fault 7
  // Fault 12
  @Test(arguments: Change.allCases, [1, 8])
  func `a changed file is fetched again completely, and the row shows why`(
    change: Change, connections: Int
  ) async throws {
    let world = try await WireWorld()
    let row = try await world.interruptedDownload(
      Self.truth(Self.old), connections: connections
    ) { _ in Self.truth(change.body) }
    world.expectFile(of: row, is: change.body)
    #expect(row.freshStart == .resourceChanged)
  }

  // Fault 7
  // Fault 12
  @Test(arguments: Change.allCases, [1, 8])
  func `two versions are not spliced when the server ignores If-Range`(
    change: Change, connections: Int
  ) async throws {
    let world = try await WireWorld()
    let row = try await world.interruptedDownload(
      Self.truth(Self.old), connections: connections
    ) { _ in Self.truth(change.body).with { $0.ifRange = .ignored } }
    world.expectFile(of: row, is: change.body)
    #expect(row.freshStart == .resourceChanged)
  }

  // Fault 12
  // Fault 16
  @Test(arguments: [1, 8])
  func `a changed file is fetched from a server that always answers If-Range with 200`(
    connections: Int
  ) async throws {
    let world = try await WireWorld()
    let new = Change.sameSize.body
    let row = try await world.interruptedDownload(
      Self.truth(Self.old), connections: connections
    ) { _ in Self.truth(new).with { $0.ifRange = .alwaysWhole } }
    world.expectFile(of: row, is: new)
    #expect(row.freshStart == .resourceChanged)
  }

  // Fault 12
  @Test(arguments: [Interruption.cut, .restart], [1, 8])
  func `a file that changed during a disconnect or a restart is fetched again`(
    interruption: Interruption, connections: Int
  ) async throws {
    let world = try await WireWorld()
    let new = Change.sameSize.body
    let row = try await world.interruptedDownload(
      Self.truth(Self.old), connections: connections, by: interruption
    ) { _ in Self.truth(new) }
    world.expectFile(of: row, is: new)
    #expect(row.freshStart == .resourceChanged)
  }

  /// With only a date as validator, which is strong: it is much older than the response.
  static func dated(_ body: SeededBody, _ date: String) -> OriginBehavior {
    truth(body).with {
      $0.entityTag = .none
      $0.lastModified = date
    }
  }

  // Fault 12
  @Test(arguments: [1, 8], [OriginBehavior.IfRange.honoured, .ignored])
  func `a Last-Modified date alone reveals that the file changed`(
    connections: Int, ifRange: OriginBehavior.IfRange
  ) async throws {
    let world = try await WireWorld()
    let new = Change.sameSize.body
    let row = try await world.interruptedDownload(
      Self.dated(Self.old, "Wed, 21 Oct 2015 07:28:00 GMT"), connections: connections
    ) { _ in
      Self.dated(new, "Wed, 21 Oct 2015 09:00:00 GMT").with { $0.ifRange = ifRange }
    }
    world.expectFile(of: row, is: new)
    #expect(row.freshStart == .resourceChanged)
  }

  // Fault 12
  @Test(arguments: [1, 8], Interruption.allCases)
  func `a Last-Modified date alone confirms that the file is unchanged`(
    connections: Int, interruption: Interruption
  ) async throws {
    let world = try await WireWorld()
    let truth = Self.dated(Self.old, "Wed, 21 Oct 2015 07:28:00 GMT")
    let row = try await world.interruptedDownload(
      truth, connections: connections, by: interruption
    ) { _ in truth }
    world.expectFile(of: row, is: Self.old)
    #expect(row.freshStart == nil)
    #expect(world.origin.bytesSent < Self.old.byteCount * 2 + (2 << 20), "\(world.wire)")
  }

  // Fault 12
  @Test(arguments: [OriginBehavior.IfRange.honoured, .ignored])
  func `a file that changes under eight connections never mixes two versions`(
    ifRange: OriginBehavior.IfRange
  ) async throws {
    let world = try await WireWorld()
    let new = Change.sameSize.body
    world.origin.serve(at: WireWorld.path) { request in
      Self.truth(request.numberForPath <= 4 ? Self.old : new).with { $0.ifRange = ifRange }
    }
    let row = try await world.download(WireWorld.path) { $0.connections = 8 }
    // The download may complete before the change is noticed.
    let isOld = Self.old.difference(fromFileAt: try #require(row.path)) == nil
    world.expectFile(of: row, is: isOld ? Self.old : new)
    #expect(row.freshStart == (isOld ? nil : .resourceChanged))
  }

  // Fault 12
  @Test(arguments: [1, 8])
  func `the old partial file is kept until the new one is complete`(connections: Int) async throws {
    let world = try await WireWorld()
    let new = Change.longer.body
    let id = try await world.begin(Self.truth(Self.old), connections: connections)
    let oldName = try #require(world.home.partialNames.first)
    try await world.goOn(id, after: .pause) { _ in
      Self.truth(new).with { $0.stall = .init(after: 300_000, until: "on") }
    }
    try await world.wait("bytes of the new version", for: id) {
      $0.freshStart == .resourceChanged && $0.bytesExpected == new.byteCount
        && $0.bytesReceived >= 300_000
    }
    let held = 0..<WireWorld.firstByteCount
    let oldPath = world.home.documents + "/" + oldName
    #expect(world.home.partialNames.count == 2)
    #expect(Self.old.matches(fileAt: oldPath, in: held))
    world.origin.release("on")
    world.expectFile(of: try await world.end(of: id), is: new)
  }

  // Fault 12
  @Test func `the old partial file survives a restart, and a stop until its undo`() async throws {
    let world = try await WireWorld()
    let new = Change.longer.body
    let id = try await world.begin(Self.truth(Self.old))
    try await world.goOn(id, after: .pause) { _ in
      Self.truth(new).with { $0.stall = .init(after: 300_000, until: "never") }
    }
    try await world.wait("bytes of the new version", for: id) {
      $0.bytesExpected == new.byteCount && $0.bytesReceived >= 300_000
    }
    await world.pause(id)
    try await world.restart(after: .crash)
    #expect(world.home.partialNames.count == 2)
    let names = world.home.names
    _ = await world.engine.control(.stop, [id])
    #expect(world.home.partialNames == [])
    #expect(world.home.names.count == 2)
    #expect(try await world.engine.undo(nil)?.restored == [id])
    #expect(world.home.names == names)
  }

  // Fault 50
  @Test(arguments: [1, 8])
  func `a redirect to a different file on resume does not splice the two`(
    connections: Int
  ) async throws {
    let world = try await WireWorld()
    let new = Change.sameSize.body
    world.origin.serve(.redirect(to: "/first"), at: "/latest")
    world.origin.serve(
      Self.truth(Self.old).with {
        $0.stall = .init(after: WireWorld.firstByteCount, until: "never")
      }, at: "/first")
    world.origin.serve(Self.truth(new).with { $0.ifRange = .ignored }, at: "/second")
    let id = try await world.add("/latest") { $0.connections = connections }
    try await world.wait("the first bytes", for: id) {
      $0.bytesReceived >= WireWorld.firstByteCount
    }
    await world.pause(id)
    world.origin.serve(.redirect(to: "/second"), at: "/latest")
    world.origin.serve(.status(404), at: "/first")
    await world.start(id)
    let row = try await world.end(of: id)
    world.expectFile(of: row, is: new)
    #expect(row.freshStart == .resourceChanged)
  }
}
