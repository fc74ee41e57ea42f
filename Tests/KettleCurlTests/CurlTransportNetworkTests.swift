import KettleCurl
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// The route to a server: names, addresses and missing networks.
struct CurlTransportNetworkTests {
  let origin: ScriptedOrigin
  let body = SeededBody(seed: 11, byteCount: 100_000)

  init() throws {
    origin = try ScriptedOrigin()
    origin.serve(OriginBehavior(body), at: "/file")
  }

  /// Requests the file from a name with these addresses.
  private func fetch(
    from addresses: String, port: Int? = nil,
    _ change: (inout AttemptRequest) -> Void = { _ in }
  ) async throws -> TransportProbe.Fetched {
    let port = port ?? origin.port
    let probe = try TransportProbe(knownAddresses: ["many.test:\(port):\(addresses)"])
    let url = try TransferURL.parse("http://many.test:\(port)/file").get().url
    return try await probe.fetch(url, change)
  }

  private func url(_ scheme: String) throws -> TransferURL {
    try TransferURL.parse("\(scheme)://127.0.0.1:\(origin.port)/file").get().url
  }

  // Fault 64
  @Test(arguments: [
    "127.0.0.2,127.0.0.1", "127.0.0.2,127.0.0.3,127.0.0.4,127.0.0.1", "127.0.0.1,127.0.0.2",
    "[::1],127.0.0.1",
  ])
  func `addresses that refuse the connection are skipped`(addresses: String) async throws {
    let fetched = try await fetch(from: addresses)
    #expect(fetched.end == .complete)
    #expect(fetched.bytes().elementsEqual(body.bytes))
  }

  // Fault 64
  @Test func `a silent address leaves time for the next one`() async throws {
    let (origin, hole) = try sharingOnePort {
      let origin = try ScriptedOrigin()
      return (origin, try BlackHole(lastByte: 2, port: origin.port))
    }
    origin.serve(OriginBehavior(body), at: "/file")
    let fetched = try await fetch(from: "127.0.0.2,127.0.0.1", port: origin.port) {
      $0.timeouts.connectMilliseconds = 3000
    }
    #expect(fetched.end == .complete)
    withExtendedLifetime(hole) {}
  }

  // Fault 65
  @Test func `a broken address family does not delay the other one`() async throws {
    // 100::/64 discards packets (RFC 6666); without a route it fails at once.
    let clock = ContinuousClock()
    let start = clock.now
    let fetched = try await fetch(from: "[100::1],127.0.0.1") {
      $0.timeouts.connectMilliseconds = 1_200_000
    }
    #expect(fetched.end == .complete)
    // If tried in sequence, the first would use half of the time to connect, which is far more than
    // any machine needs for the second.
    #expect(clock.now - start < .seconds(500))
  }

  // Fault 66
  @Test(arguments: ["255.255.255.255", "224.0.0.1"])
  func `without a route to the address there is no network`(address: String) async throws {
    // The kernel has no TCP route to either, whatever networks exist.
    let url = try TransferURL.parse("http://\(address)/").get().url
    let end = try await TransportProbe().fetch(url).end
    #expect(
      end
        == .failed(
          TransferFailure(.networkDown, on: address, detail: "Network is unreachable")))
  }

  // Fault 61
  @Test(arguments: [OriginBehavior.Cut.fin, .reset])
  func `an aborted handshake loses the connection`(
    cut: OriginBehavior.Cut
  ) async throws {
    origin.limitConnections(to: 0, cut)
    let failure = try await TransportProbe().fetch(url("https")).end.failure
    #expect(failure?.code == .connectionLost, "\(String(describing: failure))")
  }

  // Fault 69
  @Test(arguments: [OriginBehavior.Cut.fin, .reset])
  func `a connection that is closed at once is lost, not refused`(
    cut: OriginBehavior.Cut
  ) async throws {
    origin.limitConnections(to: 0, cut)
    let failure = try await TransportProbe().fetch(url("http")).end.failure
    #expect(failure?.code == .connectionLost)
    origin.limitConnections(to: nil)
    #expect(try await TransportProbe().fetch(url("http")).end == .complete)
  }
}
