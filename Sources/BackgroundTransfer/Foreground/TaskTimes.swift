import Foundation
import FoundationNetworking
import KettleModel
import KettleSystem

/// When a task of FoundationNetworking, which measures nothing, was started and got its response.
struct TaskTimes: Sendable {
  /// nil if it was never resumed.
  private(set) var startedAt: ContinuousClock.Instant?
  /// The same as `startedAt`.
  private var startTime: WallTime?
  private var respondedAt: ContinuousClock.Instant?
  private var redirectCount = 0

  /// Records a `resume()`. Returns whether it is the first one.
  mutating func start() -> Bool {
    guard startedAt == nil else { return false }
    startedAt = .now
    startTime = .now()
    return true
  }

  mutating func respond() { respondedAt = .now }

  mutating func countRedirect() { redirectCount += 1 }

  /// Returns the metrics at the end of the task; nil if it was never resumed.
  ///
  /// - Parameter transaction: The latest request and its response; nil if nothing was sent.
  func metrics(
    of transaction: (request: URLRequest, response: URLResponse?)?, sentByteCount: Int64,
    receivedByteCount: Int64
  ) -> URLSessionTaskMetrics? {
    guard let startTime, let startedAt else { return nil }
    let duration = startedAt.duration(to: .now)
    var transactions: [URLSessionTaskTransactionMetrics] = []
    if let (request, response) = transaction, let url = request.url {
      var measurement = AttemptMeasurement(url: url.absoluteString, startedAt: startTime)
      measurement.status = (response as? HTTPURLResponse)?.statusCode
      measurement.responseMicroseconds = respondedAt.map {
        Int64(startedAt.duration(to: $0) / .microseconds(1))
      }
      measurement.totalMicroseconds = Int64(duration / .microseconds(1))
      measurement.requestBodyByteCount = sentByteCount
      measurement.responseBodyByteCount = receivedByteCount
      transactions = [URLSessionTaskTransactionMetrics(measurement, request, response: response)]
    }
    return URLSessionTaskMetrics(
      transactionMetrics: transactions,
      taskInterval: DateInterval(start: startTime.date, duration: duration / .seconds(1)),
      redirectCount: redirectCount)
  }
}
