import BackgroundTransfer
import Foundation
import Testing
import TestSupport

/// How many connections a task has, over the real service.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ConnectionCountTests {
  private let home: SessionHome
  private let origin: ScriptedOrigin
  private let told = Told()

  init() throws {
    home = try SessionHome()
    origin = try ScriptedOrigin()
  }

  /// Long enough for further connections to be worthwhile.
  private func serve(_ byteCount: Int64) {
    origin.serve(
      OriginBehavior(SeededBody(seed: 4, byteCount: byteCount)).with {
        $0.bytesPerSecond = 4 << 20
      }, at: "/large.bin")
  }

  @Test func `a task has one connection whatever the limit of the host`() async throws {
    serve(12 << 20)
    let session = home.session(told) { $0.httpMaximumConnectionsPerHost = 100_000 }
    let task = session.downloadTask(with: try origin.address("/large.bin"))
    task.resume()
    try await told.expect(
      ["wrote 1 12582912/12582912", "finished 1 200", "completed 1 nil", "invalid"], of: session)
    #expect(origin.requests.count == 1)
    #expect(origin.connectionCount == 1)
  }

  @Test func `a task has several connections if its session permits them`() async throws {
    serve(64 << 20)
    let session = home.session(told) {
      $0.httpMaximumConnectionsPerHost = 8
      $0.maximumConnectionsPerTask = 4
    }
    let task = session.downloadTask(with: try origin.address("/large.bin"))
    task.resume()
    try await origin.waitForRequests(4, at: "/large.bin")
    let rows = try await home.rows()
    #expect(rows.first?["connections"] as? Int == 4)
    task.cancel()
    #expect(try await told.all(session).suffix(2) == ["completed 1 -999", "invalid"])
  }
}
