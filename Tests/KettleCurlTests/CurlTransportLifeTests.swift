import KettleCurl
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// The lifetime of a transport.
struct CurlTransportLifeTests {
  private let settings = CurlSettings(
    userAgent: "Kettle/test", certificates: TrustedCertificates(file: nil, directory: nil),
    proxies: .none)

  @Test func `shutting down cancels running attempts once each`() async throws {
    let origin = try ScriptedOrigin()
    origin.serve(
      OriginBehavior(SeededBody(seed: 1, byteCount: 1000)).with { $0.headWaitsFor = "never" },
      at: "/file")
    let probe = try TransportProbe()
    let url = try origin.url("/file")
    let ids = (1...20).map { _ in probe.begin(url) }
    try await origin.waitForRequests(20)
    probe.transport.shutDown()
    let events = probe.reported.read { $0 }
    #expect(ids.allSatisfy { events.ends(of: $0) == [.cancelled] })
    #expect(events.count == 20)
  }

  @Test func `shutting down also ends attempts that wait for acceptance`() async throws {
    let origin = try ScriptedOrigin()
    origin.serve(.status(204), at: "/none")
    let probe = try TransportProbe()
    let id = probe.begin(try origin.url("/none"))
    _ = try await probe.head(of: id)
    #expect(probe.endsAfterShutDown(of: id) == [.cancelled])
  }

  @Test func `no attempt begins after shutdown`() async throws {
    let origin = try ScriptedOrigin()
    let probe = try TransportProbe()
    probe.transport.shutDown()
    probe.begin(try origin.url("/file"))
    probe.transport.shutDown()
    #expect(probe.reported.read { $0.isEmpty })
    #expect(origin.connectionCount == 0)
  }

  @Test func `the last reference may be released inside an event handler`() async throws {
    let url = try ScriptedOrigin().url("/file")
    let held = Monitor<CurlTransport?>(nil)
    let isAlone = Monitor(false)
    let isGone = Monitor(false)
    do {
      let transport = try CurlTransport(
        events: { _ in
          _ = isAlone.block(forMilliseconds: 20_000) { $0 }
          held.update { $0 = nil }
          isGone.update { $0 = true }
        }, settings: settings)
      held.update { $0 = transport }
      let id = AttemptID(rawValue: 1)
      transport.begin(AttemptRequest(id: id, transfer: TransferID(rawValue: 1), url: url))
      transport.cancel(id)
    }
    isAlone.update { $0 = true }
    try await isGone.wait(for: "the return of deinit") { $0 }
  }

  @Test func `each attempt ends once when 10,000 transports are created and destroyed`() throws {
    let origin = try ScriptedOrigin()
    origin.serve(.status(204), at: "/none")
    let url = try origin.url("/none")
    let counts = Monitor([String: Int]())
    for round in 0..<10_000 {
      let transport = try CurlTransport(
        events: { event in
          if case .ended = event { counts.update { $0["ended", default: 0] += 1 } }
        }, settings: settings)
      if round.isMultiple(of: 2) {
        transport.begin(
          AttemptRequest(
            id: AttemptID(rawValue: 1), transfer: TransferID(rawValue: 1), url: url))
      }
      switch round % 3 {
      case 0: transport.shutDown()
      case 1: transport.cancel(AttemptID(rawValue: 1))
      default: break
      }
    }
    #expect(counts.read { $0["ended"] } == 5000)
  }
}
