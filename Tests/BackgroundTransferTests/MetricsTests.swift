import BackgroundTransfer
import Foundation
import KettleModel
import KettleSystem
import Testing

/// The metrics of a task, as its delegate gets them.
struct MetricsTests {
  private final class Meter: NSObject, URLSessionTaskDelegate, Sendable {
    let metrics = Mutex<[URLSessionTaskMetrics]>([])

    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      self.metrics.withLock { $0.append(metrics) }
    }
  }

  private static let start = WallTime(millisecondsSince1970: 1_798_128_000_000)

  private func redirect() -> AttemptMeasurement {
    var redirect = AttemptMeasurement(url: "http://books.example/old", startedAt: Self.start)
    redirect.status = 301
    redirect.isReusedConnection = true
    redirect.requestMicroseconds = 100
    redirect.responseMicroseconds = 2000
    redirect.totalMicroseconds = 2500
    return redirect
  }

  private func secure() -> AttemptMeasurement {
    var secure = AttemptMeasurement(url: "https://books.example/b", startedAt: Self.start)
    secure.status = 200
    secure.nameLookupMicroseconds = 1_000_000
    secure.connectMicroseconds = 2_000_000
    secure.secureConnectMicroseconds = 3_000_000
    secure.requestMicroseconds = 4_000_000
    secure.responseMicroseconds = 5_000_000
    secure.totalMicroseconds = 6_000_000
    secure.protocolName = "h2"
    secure.remoteAddress = "192.0.2.1"
    secure.remotePort = 443
    secure.tlsVersion = "TLSv1.3"
    secure.cipherSuite = "TLS_AES_256_GCM_SHA384"
    secure.responseBodyByteCount = 3
    return secure
  }

  private func metrics(_ measurements: [AttemptMeasurement]) throws -> [URLSessionTaskMetrics] {
    let world = try SessionWorld()
    let task = world.session.downloadTask(with: SessionWorld.url)
    let meter = Meter()
    task.delegate = meter
    task.resume()
    _ = try world.service.added(1)
    try world.service.move(1, to: .running, isTold: false) {
      $0.task?.startedAt = Self.start
      $0.finishedAt = Self.start.advanced(byMilliseconds: 7000)
      for measurement in measurements { $0.task?.record(measurement) }
    }
    try world.service.finish(1)
    #expect(world.recorder.wait(for: "completed 1 0"))
    return meter.metrics.withLock { $0 }
  }

  @Test func `the delegate gets the times of each request`() throws {
    let all = try metrics([redirect(), secure()])
    let metrics = try #require(all.first)
    #expect(all.count == 1)
    #expect(metrics.redirectCount == 1)
    #expect(metrics.taskInterval.duration == 7)
    let (first, last) = (metrics.transactionMetrics[0], metrics.transactionMetrics[1])
    #expect(first.request.url?.path == "/old")
    #expect((first.response as? HTTPURLResponse)?.statusCode == 301)
    #expect(first.isReusedConnection && first.connectStartDate == nil)
    #expect(first.domainLookupStartDate == nil && first.secureConnectionStartDate == nil)
    let start = Self.start.millisecondsSince1970 / 1000
    func seconds(_ date: Date?) -> Int64? { date.map { Int64($0.timeIntervalSince1970) - start } }
    #expect(seconds(last.fetchStartDate) == 0)
    #expect(seconds(last.domainLookupStartDate) == 0)
    #expect(seconds(last.domainLookupEndDate) == 1)
    #expect(seconds(last.connectStartDate) == 1)
    #expect(seconds(last.secureConnectionStartDate) == 2)
    #expect(seconds(last.secureConnectionEndDate) == 3)
    #expect(seconds(last.connectEndDate) == 3)
    #expect(seconds(last.requestStartDate) == 4)
    #expect(seconds(last.responseStartDate) == 5)
    #expect(seconds(last.responseEndDate) == 6)
    #expect(last.networkProtocolName == "h2" && last.resourceFetchType == .networkLoad)
    #expect(last.remoteAddress == "192.0.2.1" && last.remotePort == 443)
    #expect(last.negotiatedTLSProtocolVersion == .TLSv13)
    #expect(last.negotiatedTLSCipherSuite == .AES_256_GCM_SHA384)
    #expect(last.countOfResponseBodyBytesReceived == 3)
    // The response of the task, with its headers.
    #expect((last.response as? HTTPURLResponse)?.value(forHTTPHeaderField: "ETag") == "\"1\"")
  }

  @Test func `the latest ten requests are stored, and every redirect is counted`() throws {
    let many = Array(repeating: redirect(), count: 12) + [secure()]
    let metrics = try #require(try metrics(many).first)
    #expect(metrics.transactionMetrics.count == 10)
    #expect(metrics.transactionMetrics.last?.request.url?.scheme == "https")
    #expect(metrics.redirectCount == 12)
  }

  @Test func `a task without a request has metrics without one`() throws {
    let all = try metrics([])
    #expect(all.count == 1)
    #expect(all.first?.transactionMetrics.isEmpty == true && all.first?.redirectCount == 0)
    #expect(all.first?.taskInterval.duration == 7)
  }

  @Test func `a task that the service never had has metrics, too`() throws {
    let world = try SessionWorld()
    let task = world.session.uploadTask(with: URLRequest(url: SessionWorld.url), from: Data())
    let meter = Meter()
    task.delegate = meter
    task.resume()
    #expect(world.recorder.wait(for: "completed -1 -1"))
    #expect(meter.metrics.withLock { $0.map(\.taskInterval.duration) } == [0])
  }
}
