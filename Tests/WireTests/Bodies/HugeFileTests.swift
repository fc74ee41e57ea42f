import FoundationEssentials
import Glibc
import KettleEngine
import KettleModel
import KettleStore
import Testing
import TestSupport

/// Files over 4 GiB that were almost completely received before the test began; on the disk the
/// received part is a hole.
struct HugeFileTests {
  // Fault 30
  @Test(arguments: [5 << 30, 1 << 40] as [Int64], [1, 8])
  func `the end of a huge file is written at the right offset`(
    byteCount: Int64, connections: Int
  ) async throws {
    let body = SeededBody(seed: 30, byteCount: byteCount)
    let missing = try #require(ByteRange(lower: byteCount - (3 << 20), upper: byteCount))
    try await expectFilled([missing], of: body, connections: connections)
  }

  // Fault 30
  @Test(arguments: [1, 8])
  func `holes across 4 GiB and at 8 GiB are filled`(connections: Int) async throws {
    let body = SeededBody(seed: 31, byteCount: 9 << 30)
    let holes = try [
      #require(ByteRange(lower: 4_294_000_000, upper: 4_296_000_000)),
      #require(ByteRange(lower: 8 << 30, upper: (8 << 30) + 700_000)),
    ]
    try await expectFilled(holes, of: body, connections: connections)
  }

  private func expectFilled(
    _ holes: [ByteRange], of body: SeededBody, connections: Int,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let world = try await WireWorld(acceptsHoles: true)
    world.origin.serve(OriginBehavior(body), at: WireWorld.path)
    let id = try await world.add(WireWorld.path) {
      $0.beginning = .paused
      $0.connections = connections
    }
    try await world.restart(after: .shutDown) { try plant(holes, of: body, in: world) }
    await world.start(id)
    let row = try await world.end(of: id)
    #expect(row.state == .completed, "\(world.wire)", sourceLocation: location)
    #expect(row.freshStart == nil, sourceLocation: location)
    let path = try #require(row.path)
    var status = stat()
    #expect(stat(path, &status) == 0 && Int64(status.st_size) == body.byteCount)
    for hole in holes {
      #expect(
        body.matches(fileAt: path, in: hole.lower..<hole.upper), "\(hole.lower)",
        sourceLocation: location)
    }
    // How much of a range arrives after another connection took over its end depends on timing;
    // where a range begins does not.
    for request in world.origin.requests {
      let start = request.range(total: body.byteCount)?.lowerBound ?? 0
      let isInHole = holes.contains { $0.lower <= start && start < $0.upper }
      #expect(isInHole, "\(world.wire)", sourceLocation: location)
    }
  }

  /// Puts a transfer into the store and on the disk that has received everything but the holes.
  private func plant(_ holes: [ByteRange], of body: SeededBody, in world: WireWorld) throws {
    let path = world.home.documents + "/file.bin.part"
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    try #require(file >= 0)
    defer { close(file) }
    try #require(ftruncate(file, off_t(body.byteCount)) == 0)
    var durable = ByteRangeSet()
    var next: Int64 = 0
    for hole in holes {
      // The bytes around a hole, in case the engine compares them.
      for edge in [hole.lower - 200_000..<hole.lower, hole.upper..<hole.upper + 200_000] {
        let bytes = body.bytes(in: edge.clamped(to: 0..<body.byteCount))
        try #require(pwrite(file, bytes, bytes.count, off_t(edge.lowerBound)) == bytes.count)
      }
      if let range = ByteRange(lower: next, upper: hole.lower) { durable.insert(range) }
      next = hole.upper
    }
    if let range = ByteRange(lower: next, upper: body.byteCount) { durable.insert(range) }
    var status = stat()
    try #require(fstat(file, &status) == 0)

    let opened = try StoreOpening.open(
      world.home.storePath, at: WallTime(millisecondsSince1970: 1_798_135_200_000))
    var record = try #require(try opened.journal.whole().records.first)
    record.resumeData = ResumeData(
      partialPath: path, device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
      durable: durable,
      totalByteCount: body.byteCount,
      validator: Validator(
        entityTag: "\"\(String(body.seed, radix: 16))-\(body.byteCount)\"", lastModified: nil,
        isLastModifiedStrong: false), finalName: "file.bin")
    try opened.journal.commit([.put(record)])
    try opened.journal.close()
  }
}
