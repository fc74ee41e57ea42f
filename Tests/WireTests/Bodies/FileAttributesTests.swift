import Glibc
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// The permissions and the time that a file gets.
struct FileAttributesTests {
  /// One is created when all of it has arrived, the other before.
  private static let byteCounts: [Int64] = [1000, 4 << 20]

  private func status(
    of byteCount: Int64, _ change: (inout TransferOptions) -> Void
  ) async throws -> stat {
    let world = try await WireWorld { $0.lateFileByteCountMax = 256 << 10 }
    let behavior = OriginBehavior(SeededBody(seed: 3, byteCount: byteCount)).with {
      $0.lastModified = "Sun, 06 Nov 1994 08:49:37 GMT"
    }
    world.origin.serve(behavior, at: WireWorld.path)
    let row = try await world.download(WireWorld.path) { change(&$0.options) }
    #expect(row.state == .completed)
    var status = stat()
    #expect(stat(try #require(row.path), &status) == 0)
    return status
  }

  @Test(arguments: Self.byteCounts)
  func `a file has the permissions that were chosen, or the usual ones`(
    byteCount: Int64
  ) async throws {
    let usual = try await status(of: byteCount) { _ in }
    #expect(usual.st_mode & 0o777 == 0o644)
    let own = try await status(of: byteCount) { $0.permissions = FilePermissions(mask: 0o077) }
    #expect(own.st_mode & 0o777 == 0o600)
  }

  @Test(arguments: Self.byteCounts)
  func `a file keeps the server's time only on request`(byteCount: Int64) async throws {
    let own = try await status(of: byteCount) { $0.keepsServerTime = true }
    #expect(own.st_mtim.tv_sec == 784_111_777)
    #expect(try await status(of: byteCount) { _ in }.st_mtim.tv_sec > 1_600_000_000)
  }
}
