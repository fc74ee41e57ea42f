import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Servers whose certificates the system does not trust, with real TLS.
@Suite(.enabled(if: TLSEndpoint.isThere))
struct UntrustedServerTests {
  // Fault 60
  @Test func `nothing is sent to a server that is not trusted until the user accepts it`()
    async throws
  {
    let world = try await WireWorld()
    let endpoint = try await TLSEndpoint()
    let id = try await world.add(try endpoint.url("/file.bin"))
    let row = try await world.end(of: id)
    #expect(row.state == .waiting)
    #expect(row.reason == .needsDecision)
    let certificate = try #require(row.error?.certificate)
    #expect(certificate.origin == "https://127.0.0.1:\(endpoint.port)")
    #expect(certificate.subject == "kettle test")
    #expect(!endpoint.received.read { $0.contains("GET ") })

    #expect(await world.engine.control(.accept, [id]) == [.applied])
    let request = try await endpoint.waitForRequest()
    #expect(request.contains("GET /file.bin HTTP/1.1"))
    try endpoint.send(
      "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello!")
    let done = try await world.end(of: id)
    #expect(done.state == .completed)
    #expect(done.bytesReceived == 6)
  }
}
