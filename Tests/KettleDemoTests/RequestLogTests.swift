import Testing

@testable import KettleDemo

struct RequestLogTests {
  private func request(_ path: String) -> DemoRequest {
    DemoRequest(method: "GET", path: path, status: 200)
  }

  @Test func `bytes are counted for the request that they belong to`() {
    let log = DemoRequestLog()
    let first = log.append(request("/a"))
    let second = log.append(request("/b"))
    log.sent(5, of: second)
    log.sent(7, of: second)
    log.sent(1, of: first)
    #expect(log.requests.map(\.bytesSent) == [1, 12])
  }

  @Test func `a long log drops its oldest half and still counts correctly`() {
    let log = DemoRequestLog()
    for index in 0..<DemoRequestLog.countMax { _ = log.append(request("/\(index)")) }
    let last = log.append(request("/last"))
    log.sent(3, of: last)
    log.sent(3, of: 0)
    #expect(log.requests.count == DemoRequestLog.countMax / 2 + 1)
    #expect(log.requests.first?.path == "/\(DemoRequestLog.countMax / 2)")
    #expect(log.requests.last?.bytesSent == 3)
    #expect(log.requests.reduce(0) { $0 + $1.bytesSent } == 3)
  }
}
