import Glibc
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Another program truncates the partial file while the transfer runs.
struct ShortenedFileTests {
  static let body = SeededBody(seed: 42, byteCount: 8 << 20)
  /// Each connection stalls after this many bytes until the file has been truncated.
  static let stallByteCount: Int64 = 1 << 20

  enum Deed: Sendable, CaseIterable {
    case emptied, inAPage, toAPage, byOneByte
    /// The size is unchanged, and the end is a hole.
    case andExtended

    func happen(to path: String, of byteCount: Int64) throws {
      switch self {
      case .emptied: try Meddling.truncate(path, to: 0)
      case .inAPage: try Meddling.truncate(path, to: 100_001)
      case .toAPage: try Meddling.truncate(path, to: 65_536)
      case .byOneByte: try Meddling.truncate(path, to: byteCount - 1)
      case .andExtended:
        try Meddling.truncate(path, to: 65_536)
        try Meddling.truncate(path, to: byteCount)
      }
    }
  }

  // Fault 22
  @Test(arguments: Deed.allCases, [1, 4])
  func `a partial file that is truncated during the download is fetched again`(
    deed: Deed, connections: Int
  ) async throws {
    let row = try await downloadWhile(deed, connections: connections) { _ in }
    #expect(row.freshStart == .partialFileChanged)
  }

  // Fault 22
  @Test(arguments: Deed.allCases.filter { $0 != .andExtended })
  func `a truncated partial file is fetched again instead of failing its checksum`(
    deed: Deed
  ) async throws {
    let hex = try #require(TestDigest.hex(of: Self.body.bytes, .sha256))
    let row = try await downloadWhile(deed, connections: 1) {
      $0.checksum = Checksum(algorithm: .sha256, hex: hex)
    }
    #expect(row.freshStart == .partialFileChanged)
  }

  private func downloadWhile(
    _ deed: Deed, connections: Int, _ change: (inout TransferSpec) -> Void
  ) async throws -> TransferSnapshot {
    let world = try await WireWorld()
    world.origin.serve(
      OriginBehavior(Self.body).with {
        $0.stall = .init(after: Self.stallByteCount, until: "shortened")
        $0.bytesPerSecond = 64 << 20
      }, at: WireWorld.path)
    let id = try await world.add(WireWorld.path) { spec in
      spec.connections = connections
      change(&spec)
    }
    try await world.wait("the first bytes", for: id) { $0.bytesReceived >= Self.stallByteCount }
    let partial = try await world.recordedPartial(of: id, atLeast: 200_000)
    try deed.happen(to: partial.path, of: partial.byteCount)
    world.origin.release("shortened")
    let row = try await world.end(of: id)
    #expect(row.state == .completed, "\(world.told.read { $0 })")
    #expect(Self.body.difference(fromFileAt: try #require(row.path)) == nil, "\(world.wire)")
    return row
  }
}

extension WireWorld {
  /// Waits until so many bytes of a running transfer are recorded, and returns the path and the
  /// size of its partial file.
  fileprivate func recordedPartial(
    of id: TransferID, atLeast byteCount: Int64
  ) async throws -> (path: String, byteCount: Int64) {
    for _ in 0..<1_000_000 {
      if let resumeData = try await record(of: id).resumeData,
        resumeData.durable.byteCount >= byteCount
      {
        var status = stat()
        try #require(stat(resumeData.partialPath, &status) == 0)
        return (resumeData.partialPath, Int64(status.st_size))
      }
      await Task.yield()
    }
    throw NothingRecorded()
  }
}

private struct NothingRecorded: Error {}
