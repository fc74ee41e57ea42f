import BackgroundTransfer
import Foundation
import KettleModel
import KettleSocket
import TestSupport
import Testing

/// The metrics of tasks, over the real service.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct MetricsTests {
  private let home: SessionHome
  private let origin: ScriptedOrigin
  private let body = SeededBody(seed: 7, byteCount: 200_000)

  init() throws {
    home = try SessionHome()
    origin = try ScriptedOrigin()
  }

  /// Records the metrics of tasks and the order of its last calls.
  private final class Meter: NSObject, URLSessionTaskDelegate, Sendable {
    struct State: Sendable {
      var calls: [String] = []
      var metrics: [URLSessionTaskMetrics] = []
    }

    let state = Monitor(State())

    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      state.update {
        $0.calls.append("metrics")
        $0.metrics.append(metrics)
      }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      state.update { $0.calls.append("completed") }
    }

    func end() async throws -> (calls: [String], metrics: URLSessionTaskMetrics) {
      let state = try await state.wait(for: "the end", budgetMilliseconds: 30_000) {
        $0.calls.contains("completed")
      }
      return (state.calls, try #require(state.metrics.first))
    }
  }

  private func session(_ meter: Meter, _ identifier: String) -> URLSession {
    URLSession(
      configuration: home.configuration(identifier), delegate: meter, delegateQueue: nil)
  }

  @Test func `redirects and retries are transactions with times and addresses`() async throws {
    origin.serveRedirects(1, from: "/here", to: "/there")
    let whole = OriginBehavior(body)
    origin.serve([whole.with { $0.ending = .cut(after: 50_000, .reset) }, whole], at: "/there")
    let meter = Meter()
    let session = session(meter, UUID().uuidString)
    defer { session.invalidateAndCancel() }
    let began = Date.now
    session.downloadTask(with: try origin.address("/here")).resume()
    let (calls, metrics) = try await meter.end()
    #expect(calls == ["metrics", "completed"])
    let paths = metrics.transactionMetrics.map { $0.request.url?.path ?? "" }
    #expect(paths.first == "/here" && paths.contains("/there"))
    #expect(metrics.redirectCount >= 1)
    let last = try #require(metrics.transactionMetrics.last)
    #expect((last.response as? HTTPURLResponse)?.statusCode == 200)
    #expect(last.networkProtocolName == "http/1.1")
    #expect(last.remoteAddress == "127.0.0.1" && last.remotePort == origin.port)
    #expect(last.localAddress == "127.0.0.1" && (last.localPort ?? 0) > 0)
    #expect(last.negotiatedTLSProtocolVersion == nil && last.secureConnectionEndDate == nil)
    #expect(last.countOfRequestHeaderBytesSent > 20 && last.countOfResponseHeaderBytesReceived > 20)
    let received = metrics.transactionMetrics.map(\.countOfResponseBodyBytesReceived)
    #expect(received.reduce(0, +) >= body.byteCount)
    let request = try #require(last.requestStartDate)
    let response = try #require(last.responseStartDate)
    let end = try #require(last.responseEndDate)
    #expect(request <= response && response <= end)
    // The wall clock of the service has milliseconds.
    #expect(metrics.taskInterval.start >= began - 0.01)
    #expect(metrics.taskInterval.end <= Date.now + 0.01)
  }

  @Test func `the metrics of a task that ended while the program was away arrive later`()
    async throws
  {
    origin.serve(OriginBehavior(body).with { $0.headWaitsFor = "away" }, at: "/a.bin")
    let identifier = UUID().uuidString
    let url = try origin.address("/a.bin")
    var spec = TransferSpec(url: try origin.url("/a.bin"))
    spec.session = SessionID(rawValue: identifier)
    spec.task = TaskOptions(kind: .download)
    #expect(try await home.kettle("daemon", "start").code == 0)
    let service = try await home.connect()
    try await LaunchWorld.attach(service, spec.session)
    try await LaunchWorld.add(spec, service)
    await service.close()
    origin.release("away")
    #expect(try await home.kettle("wait", "--all", "--timeout", "20").code == 0)
    #expect(try await home.kettle("daemon", "stop").code == 0)
    let meter = Meter()
    let session = session(meter, identifier)
    defer { session.invalidateAndCancel() }
    let (calls, metrics) = try await meter.end()
    #expect(calls == ["metrics", "completed"])
    #expect(metrics.transactionMetrics.first?.request.url == url)
    #expect(
      metrics.transactionMetrics.first?.countOfResponseBodyBytesReceived == body.byteCount)
  }
}
