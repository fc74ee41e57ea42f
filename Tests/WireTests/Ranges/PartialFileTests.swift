import Glibc
import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Changes to the partial file while the transfer was paused or no service ran.
struct PartialFileTests {
  let body = SeededBody(seed: 10, byteCount: 4 << 20)
  var truth: OriginBehavior { OriginBehavior(body).with { $0.bytesPerSecond = 16 << 20 } }

  enum Deed: Sendable, CaseIterable {
    case shortened, emptied, edited, appended, deleted

    func happen(to path: String) throws {
      switch self {
      case .shortened: try Meddling.truncate(path, to: 1000)
      case .emptied: try Meddling.truncate(path, to: 0)
      case .edited: try Meddling.write([1, 2, 3], into: path, at: 70_000)
      case .appended: try Meddling.append([UInt8](repeating: 7, count: 5000), to: path)
      case .deleted: try Meddling.delete(path)
      }
    }
  }

  // Fault 22
  @Test(arguments: Deed.allCases, [1, 8])
  func `a partial file that changed during a pause does not corrupt the file`(
    deed: Deed, connections: Int
  ) async throws {
    let world = try await WireWorld()
    let id = try await world.begin(truth, connections: connections)
    await world.pause(id)
    let path = try await partialPath(of: id, world)
    try deed.happen(to: path)
    world.origin.serve(truth, at: WireWorld.path)
    await world.start(id)
    let row = try await world.end(of: id)
    expectRight(row, world)
  }

  // Fault 22
  @Test(arguments: Deed.allCases, [WireWorld.End.shutDown, .crash])
  func `a partial file that changed while no service ran does not corrupt the file`(
    deed: Deed, end: WireWorld.End
  ) async throws {
    let world = try await WireWorld()
    let id = try await world.begin(truth, connections: 8)
    if end == .crash { await world.pause(id) }
    let path = try await partialPath(of: id, world)
    try await world.restart(after: end) {
      try deed.happen(to: path)
      world.origin.serve(truth, at: WireWorld.path)
    }
    await world.start(id)
    expectRight(try await world.end(of: id), world)
  }

  // Fault 22
  @Test(arguments: [1, 8])
  func `a foreign file in place of the partial file is left untouched`(
    connections: Int
  ) async throws {
    let world = try await WireWorld()
    let id = try await world.begin(truth, connections: connections)
    await world.pause(id)
    let path = try await partialPath(of: id, world)
    let name = try #require(world.home.partialNames.first)
    let foreign = SeededBody(seed: 99, byteCount: 4 << 20).bytes
    // The inode must differ, so the old file is deleted only when the new one exists.
    try world.home.put(foreign, as: "foreign")
    try Meddling.move(world.home.documents + "/foreign", to: path)
    world.origin.serve(truth, at: WireWorld.path)
    await world.start(id)
    let row = try await world.end(of: id)
    #expect(row.state == .completed)
    #expect(body.difference(fromFileAt: try #require(row.path)) == nil)
    #expect(row.freshStart == .partialFileChanged)
    #expect(world.home.bytes(of: name) == foreign)
  }

  // Fault 22
  @Test func `a symbolic link in place of the partial file is not followed`() async throws {
    let world = try await WireWorld()
    let id = try await world.begin(truth)
    await world.pause(id)
    let path = try await partialPath(of: id, world)
    let mine = Array("mine".utf8)
    try world.home.put(mine, as: "mine.txt")
    try Meddling.delete(path)
    try #require(symlink(world.home.documents + "/mine.txt", path) == 0)
    world.origin.serve(truth, at: WireWorld.path)
    await world.start(id)
    let row = try await world.end(of: id)
    #expect(row.state == .completed)
    #expect(body.difference(fromFileAt: try #require(row.path)) == nil)
    #expect(world.home.bytes(of: "mine.txt") == mine)
  }

  // Fault 23
  @Test(arguments: [1, 8])
  func `two swapped partial files do not end up in each other's file`(
    connections: Int
  ) async throws {
    let world = try await WireWorld()
    let second = SeededBody(seed: 11, byteCount: 4 << 20)
    let secondTruth = OriginBehavior(second).with { $0.bytesPerSecond = 16 << 20 }
    let a = try await world.begin(truth, at: "/a.bin", connections: connections)
    let b = try await world.begin(secondTruth, at: "/b.bin", connections: connections)
    await world.pause(a)
    await world.pause(b)
    let (pathA, pathB) = (
      try await partialPath(of: a, world), try await partialPath(of: b, world)
    )
    try Meddling.move(pathA, to: pathA + "x")
    try Meddling.move(pathB, to: pathA)
    try Meddling.move(pathA + "x", to: pathB)
    world.origin.serve(truth, at: "/a.bin")
    world.origin.serve(secondTruth, at: "/b.bin")
    await world.start(a)
    await world.start(b)
    let (rowA, rowB) = (try await world.end(of: a), try await world.end(of: b))
    #expect(rowA.state == .completed && rowB.state == .completed)
    #expect(body.difference(fromFileAt: try #require(rowA.path)) == nil)
    #expect(second.difference(fromFileAt: try #require(rowB.path)) == nil)
  }

  // Fault 22
  @Test(arguments: [1, 8])
  func `after a crash the download resumes from its last checkpoint`(
    connections: Int
  ) async throws {
    let world = try await WireWorld()
    let id = try await world.begin(truth, connections: connections)
    world.origin.serve(truth, at: WireWorld.path)
    try await world.restart(after: .crash)
    let row = try await world.end(of: id)
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == nil)
  }

  // Fault 22
  @Test(arguments: [1, 8])
  func `a crash soon after a resume is not mistaken for a foreign write`(
    connections: Int
  ) async throws {
    // No checkpoint is made between the resume and the crash.
    let world = try await WireWorld { $0.checkpoints.slowMilliseconds = 60_000 }
    let id = try await world.begin(truth, connections: connections)
    await world.pause(id)
    let held = try #require(world.row(of: id)).bytesReceived
    let truth = self.truth
    world.origin.serve(
      truth.with { $0.stall = .init(after: 300_000, until: "never") }, at: WireWorld.path)
    await world.start(id)
    try await world.wait("more bytes", for: id) { $0.bytesReceived >= held + 300_000 }
    try await world.restart(after: .crash) { world.origin.serve(truth, at: WireWorld.path) }
    let row = try await world.end(of: id)
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == nil)
  }

  private func partialPath(of id: TransferID, _ world: WireWorld) async throws -> String {
    try #require(try await world.record(of: id).resumeData).partialPath
  }

  /// A partial file that others changed may be left behind, as it is theirs; the final file is
  /// right.
  private func expectRight(
    _ row: TransferSnapshot, _ world: WireWorld, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(row.state == .completed, sourceLocation: location)
    guard let path = row.path else { return }
    #expect(body.difference(fromFileAt: path) == nil, "\(world.wire)", sourceLocation: location)
  }
}
