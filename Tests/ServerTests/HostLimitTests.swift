import Foundation
import Testing
import TestSupport

/// What a server that refuses a connection does to those that follow.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct HostLimitTests {
  /// A 503 of nginx's limit_conn has no Retry-After.
  @Test func `two minutes after one 503 the host has all its connections again`() async throws {
    let home = try ServerHome(configuration: "[limits]\nconnections-per-host = 6\n")
    // Files that take longer than the test.
    let nginx = try await NginxServer(
      .init(byteCount: 20_000_000, bytesPerSecond: 20_000, requestsMax: 5), home: home)
    try await home.add(nginx.urls(count: 6), "--connections", "1")
    _ = try await nginx.statuses.wait(for: "503")
    let refused = ContinuousClock.now
    try nginx.liftLimit()
    var connections = 0
    while connections < 6, ContinuousClock.now - refused < .seconds(120) {
      try await home.letWork(seconds: 3)
      connections = try await home.rows().map(\.connections).reduce(0, +)
    }
    #expect(connections == 6)
  }
}
