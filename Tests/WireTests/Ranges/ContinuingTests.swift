import KettleEngine
import KettleModel
import TestSupport
import Testing

/// A file that curl or wget has begun, under the name of a new transfer.
struct ContinuingTests {
  private let body = SeededBody(seed: 51, byteCount: 2_000_000)
  private static let begunByteCount: Int64 = 700_000
  private static let name = "file.bin"

  private var begun: [UInt8] { body.bytes(in: 0..<Self.begunByteCount) }

  private func add(
    to world: WireWorld, _ change: (inout TransferSpec) -> Void = { _ in }
  ) async throws -> TransferID {
    try await world.add("/file.bin") { spec in
      spec.options.continues = true
      change(&spec)
    }
  }

  /// The lower ends of the requested ranges; nil for the whole file.
  private func ranges(_ world: WireWorld) -> [String?] {
    world.origin.requests(at: "/file.bin").map { $0.value(of: "Range") }
  }

  // Fault 193
  @Test(arguments: [OriginBehavior.EntityTag.strong, .none])
  func `only the rest and an overlap are fetched`(tag: OriginBehavior.EntityTag) async throws {
    let world = try await WireWorld()
    try world.home.put(begun, as: Self.name)
    world.origin.serve(OriginBehavior(body).with { $0.entityTag = tag }, at: "/file.bin")
    let row = try await world.end(of: try await add(to: world))
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == nil)
    let lower = Self.begunByteCount - WireWorld.overlapByteCount
    #expect(ranges(world) == [nil, "bytes=\(lower)-"])
  }

  // Fault 194
  @Test(arguments: [Self.begunByteCount, 2_000_000, 2_000_001])
  func `other content stays as it is, and everything is fetched`(byteCount: Int64) async throws {
    let other = SeededBody(seed: 52, byteCount: byteCount).bytes
    let world = try await WireWorld()
    try world.home.put(other, as: Self.name)
    world.origin.serve(OriginBehavior(body), at: "/file.bin")
    let row = try await world.end(of: try await add(to: world))
    world.expectFile(of: row, is: body, beside: [Self.name])
    #expect(row.path == world.home.documents + "/file (2).bin")
    #expect(row.freshStart == .otherBeginning)
    #expect(world.home.bytes(of: Self.name) == other)
  }

  // Fault 195
  @Test func `a file of full length is proved by its end`() async throws {
    let world = try await WireWorld()
    try world.home.put(body.bytes, as: Self.name)
    world.origin.serve(OriginBehavior(body), at: "/file.bin")
    let row = try await world.end(of: try await add(to: world))
    world.expectFile(of: row, is: body)
    #expect(ranges(world) == [nil, "bytes=\(body.byteCount - WireWorld.overlapByteCount)-"])
  }

  // Fault 195
  @Test func `a file of full length is not complete while its end has not come`() async throws {
    let world = try await WireWorld()
    var other = body.bytes
    other[other.count - 1] ^= 1
    try world.home.put(other, as: Self.name)
    let whole = OriginBehavior(body)
    world.origin.serve(at: "/file.bin") { request in
      // The second response ends before the byte that differs.
      request.numberForPath == 2 ? whole.with { $0.ending = .cut(after: 1000, .reset) } : whole
    }
    let row = try await world.end(of: try await add(to: world))
    world.expectFile(of: row, is: body, beside: [Self.name])
    #expect(world.home.bytes(of: Self.name) == other)
  }

  // Fault 196
  @Test func `a file that changes while the rest comes is not replaced`() async throws {
    let world = try await WireWorld()
    try world.home.put(begun, as: Self.name)
    let whole = OriginBehavior(body)
    world.origin.serve(at: "/file.bin") { request in
      request.value(of: "Range") == nil
        ? whole : whole.with { $0.stall = .init(after: 100_000, until: "on") }
    }
    let id = try await add(to: world)
    try await world.origin.waitForRequests(2, at: "/file.bin")
    try Meddling.append([1, 2, 3], to: world.home.documents + "/" + Self.name)
    world.origin.release("on")
    let row = try await world.end(of: id)
    world.expectFile(of: row, is: body, beside: [Self.name])
    #expect(world.home.bytes(of: Self.name) == begun + [1, 2, 3])
  }

  // Fault 194
  @Test func `bytes that only a checksum can tell apart leave the file as it is`() async throws {
    let world = try await WireWorld()
    // The end is right and the beginning is not.
    let wrong = [begun[0] ^ 1] + begun.dropFirst()
    try world.home.put(wrong, as: Self.name)
    world.origin.serve(OriginBehavior(body), at: "/file.bin")
    let sum = try #require(
      TestDigest.hex(of: body.bytes, .sha256).flatMap { Checksum(algorithm: .sha256, hex: $0) })
    let row = try await world.end(of: try await add(to: world) { $0.checksum = sum })
    #expect(row.error?.code == .checksumMismatch)
    // The partial file is discarded behind the failure.
    await world.engine.shutDown()
    #expect(world.home.names == [Self.name])
    #expect(world.home.bytes(of: Self.name) == wrong)
  }

  // Fault 197
  @Test func `what aria2 has begun is refused`() async throws {
    let world = try await WireWorld()
    try world.home.put(begun, as: Self.name)
    try world.home.put([0], as: Self.name + ".aria2")
    world.origin.serve(OriginBehavior(body), at: "/file.bin")
    let row = try await world.end(of: try await add(to: world))
    #expect(row.error?.code == .notContinued)
    #expect(row.error?.detail?.contains("aria2 writes it in pieces") == true)
    #expect(world.home.names == [Self.name, Self.name + ".aria2"])
  }

  @Test func `without the option a file of that name is another one`() async throws {
    let world = try await WireWorld()
    try world.home.put(begun, as: Self.name)
    world.origin.serve(OriginBehavior(body), at: "/file.bin")
    let row = try await world.download("/file.bin")
    world.expectFile(of: row, is: body, beside: [Self.name])
    #expect(world.home.bytes(of: Self.name) == begun)
    #expect(ranges(world).first == .some(nil))
  }

  // Fault 193
  @Test func `what is on an FTP server is continued too`() async throws {
    let world = try await WireWorld()
    let server = try ScriptedFTPServer(FTPBehavior(body))
    let url = try server.url
    let name = try #require(url.path.split(separator: "/").last.map(String.init))
    try world.home.put(begun, as: name)
    let id = try await world.add(url) { $0.options.continues = true }
    world.expectFile(of: try await world.end(of: id), is: body)
    #expect(server.commands("REST").last == "REST \(Self.begunByteCount - 65_536)")
  }
}
