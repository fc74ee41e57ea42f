import Glibc
import KettleModel
import Testing
import TestSupport

/// What the ledger charges for connections that end as in the fault storms.
struct RefetchLedgerTests {
  /// Small enough to fit into the two socket buffers.
  private static let body = SeededBody(seed: 7, byteCount: 100_000)
  private static let path = "/file.bin"

  private let origin: ScriptedOrigin

  init() throws {
    origin = try ScriptedOrigin(sendBufferByteCount: RefetchLedger.sendBufferByteCount)
    origin.serve(OriginBehavior(Self.body), at: Self.path)
  }

  /// Requests the file over its own connection, and waits until the kernel has the full response.
  private func ask() async throws -> Int32 {
    let client = try #require(LoopbackListener.connect(to: origin.port))
    let text = "GET \(Self.path) HTTP/1.1\r\nHost: localhost\r\n\r\n"
    let number = origin.requests.count + 1
    #expect(text.withCString { write(client, $0, text.utf8.count) } == text.utf8.count)
    try await origin.waitForRequests(number)
    try await origin.waitForBytesSent(Int64(number) * Self.body.byteCount, at: Self.path)
    return client
  }

  /// Reads the response from the kernel.
  private func readAll(_ client: Int32) {
    // No request follows, so the origin closes the connection after its response.
    shutdown(client, Int32(SHUT_WR))
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while read(client, &buffer, buffer.count) > 0 {}
  }

  private func fetchAgain() async throws {
    let client = try await ask()
    readAll(client)
    close(client)
  }

  private func bill(_ ledger: RefetchLedger) -> RefetchLedger.Bill {
    ledger.bill(Self.path, origin.requests)
  }

  @Test func `bytes that were read before a kill and fetched again are charged`() async throws {
    var ledger = RefetchLedger()
    let client = try await ask()
    readAll(client)
    ledger.strike(origin)
    close(client)
    try await fetchAgain()
    #expect(bill(ledger).kills == 1)
    #expect(bill(ledger).refetched == Self.body.byteCount)
  }

  @Test func `a response that was unread at the kill is not charged`()
    async throws
  {
    var ledger = RefetchLedger()
    let client = try await ask()
    try await origin.waitUntilIdle()
    ledger.strike(origin)
    close(client)
    try await fetchAgain()
    #expect(bill(ledger).kills == 1)
    #expect(bill(ledger).refetched == 0)
  }

  @Test func `an unread response is found among more connections than one kernel report holds`()
    async throws
  {
    var ledger = RefetchLedger()
    var clients: [Int32] = []
    for _ in 0..<60 { clients.append(try await ask()) }
    try await origin.waitUntilIdle()
    ledger.strike(origin)
    for client in clients { close(client) }
    try await fetchAgain()
    #expect(bill(ledger).refetched == 0)
  }

  @Test func `an interrupted response is charged only for bytes observed as read`() async throws {
    origin.serve(
      [OriginBehavior(Self.body).stuck(after: Self.body.byteCount), OriginBehavior(Self.body)],
      at: Self.path)
    var ledger = RefetchLedger()
    let client = try await ask()
    ledger.observe(origin)
    // These bytes are read after the observation.
    var buffer = [UInt8](repeating: 0, count: 1 << 10)
    #expect(read(client, &buffer, buffer.count) > 0)
    close(client)
    try await origin.waitUntilIdle()
    try await fetchAgain()
    #expect(origin.requests.first?.progress == .abandoned)
    #expect(bill(ledger).kills == 0)
    #expect(bill(ledger).refetched == 0)
  }

  @Test func `a response that was interrupted before it was read is not charged`() async throws {
    origin.serve(
      [OriginBehavior(Self.body).stuck(after: Self.body.byteCount), OriginBehavior(Self.body)],
      at: Self.path)
    let client = try await ask()
    close(client)
    try await origin.waitUntilIdle()
    try await fetchAgain()
    #expect(origin.requests.first?.progress == .abandoned)
    #expect(bill(RefetchLedger()).refetched == 0)
  }
}
