import KettleCurl
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Exchanges over TLS.
@Suite(.enabled(if: TLSServer.isThere))
struct CurlTransportTLSTests {
  private func url(_ server: TLSServer, host: String = "127.0.0.1") throws -> TransferURL {
    try TransferURL.parse("https://\(host):\(server.port)/file").get().url
  }

  /// Fetches everything that is written, and cuts the connection when all of it has arrived.
  private func fetchCut(_ text: String, body: String) async throws -> (AttemptEnd, port: Int) {
    let server = try TLSServer(.written)
    let probe = try TransportProbe()
    let id = probe.begin(try url(server)) { $0.caCertificatePath = server.certificatePath }
    try server.waitForRequest()
    try server.write(text + body)
    _ = try await probe.head(of: id)
    let sink = RecordingSink()
    probe.transport.accept(id, into: sink)
    try await sink.record.wait(for: "the body") { $0.bytes == Array(body.utf8) }
    server.kill()
    return (try await probe.end(of: id), server.port)
  }

  @Test func `a body without a length is complete when TLS is closed properly`() async throws {
    let server = try TLSServer(.status)
    let fetched = try await TransportProbe().fetch(url(server)) {
      $0.caCertificatePath = server.certificatePath
    }
    #expect(fetched.head?.value(of: "Content-Length") == nil)
    #expect(fetched.end == .complete)
    #expect(String(decoding: fetched.bytes(), as: UTF8.self).contains("</HTML>"))
  }

  // Fault 26
  @Test func `a body without a length is truncated when the connection is cut`() async throws {
    let (end, port) = try await fetchCut(
      "HTTP/1.1 200 OK\nConnection: close\n\n", body: "hello")
    #expect(
      end
        == .failed(
          TransferFailure(.truncated, on: "127.0.0.1:\(port)", detail: "the connection was cut")))
  }

  // Fault 63
  @Test func `a body of known length is complete regardless of how the connection ends`()
    async throws
  {
    let (end, _) = try await fetchCut("HTTP/1.1 200 OK\nContent-Length: 5\n\n", body: "hello")
    #expect(end == .complete)
  }

  // Fault 60
  @Test func `an unknown authority is refused`() async throws {
    let server = try TLSServer(.written)
    let end = try await TransportProbe().fetch(url(server)).end
    #expect(end.failure?.code == .tlsRefused)
  }

  // Fault 60
  @Test func `a certificate for another name is refused`() async throws {
    let server = try TLSServer(.written)
    let end = try await TransportProbe().fetch(url(server, host: "localhost")) {
      $0.caCertificatePath = server.certificatePath
    }.end
    #expect(end.failure?.code == .tlsRefused)
    #expect(end.failure?.subject == "localhost:\(server.port)")
  }
}
