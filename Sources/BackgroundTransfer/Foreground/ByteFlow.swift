import Foundation
import FoundationNetworking
import KettleModel
import KettleSystem

/// A response and its bytes, on their way to the caller of `URLSession.bytes(for:delegate:)`.
final class ByteFlow: Sendable {
  private enum State {
    case expected
    case awaited(CheckedContinuation<URLResponse, any Error>)
    case known(Result<URLResponse, any Error>)
  }

  typealias Chunks = AsyncThrowingStream<[UInt8], any Error>

  private let writer: Chunks.Continuation
  private let state = Mutex(State.expected)

  private init(writer: Chunks.Continuation) { self.writer = writer }

  /// Makes a flow and the stream of its bytes. The flow does not retain the stream, so that the
  /// stream ends when its reader is gone.
  static func make() -> (ByteFlow, Chunks) {
    let (chunks, writer) = Chunks.makeStream()
    return (ByteFlow(writer: writer), chunks)
  }

  /// Waits for the response. Call it once.
  func response() async throws -> URLResponse {
    try await withCheckedThrowingContinuation { continuation in
      let known: Result<URLResponse, any Error>? = state.withLock { state in
        if case .known(let result) = state { return result }
        state = .awaited(continuation)
        return nil
      }
      if let known { continuation.resume(with: known) }
    }
  }

  func respond(_ response: URLResponse) { know(.success(response)) }

  func receive(_ data: Data) { writer.yield(Array(data)) }

  func finish(_ error: (any Error)?) {
    know(.failure(error ?? URLError(.badServerResponse)))
    writer.finish(throwing: error)
  }

  /// Calls `body` when the reader has stopped reading, or has read everything.
  func whenUnread(_ body: @escaping @Sendable () -> Void) {
    writer.onTermination = { _ in body() }
  }

  /// Only the first result counts.
  private func know(_ result: Result<URLResponse, any Error>) {
    let waiter: CheckedContinuation<URLResponse, any Error>? = state.withLock { state in
      switch state {
      case .known: return nil
      case .expected:
        state = .known(result)
        return nil
      case .awaited(let waiter):
        state = .known(result)
        return waiter
      }
    }
    waiter?.resume(with: result)
  }
}

/// Sorts what FoundationNetworking reports about a task.
///
/// FoundationNetworking delivers the response of a server that wants a login before it passes on
/// the challenge. A delegate expects to see that response only if the challenge was not answered.
package struct Reception: Sendable {
  package enum Event: Sendable {
    case response(URLResponse)
    case data(Data)
    /// The task sends its request again, with a login.
    case retried
    case ended((any Error)?)
  }

  package enum Action: Sendable {
    case respond(URLResponse)
    case receive(Data)
    case end((any Error)?)
  }

  private enum State {
    case passesOn
    /// The response of a server that wants a login, and its body so far.
    case holds(URLResponse, [Data])
    case over
  }

  private var state = State.passesOn

  package init() {}

  /// Whether the task has ended.
  package var isOver: Bool {
    switch state {
    case .passesOn, .holds: false
    case .over: true
    }
  }

  package mutating func handle(_ event: Event) -> [Action] {
    switch (state, event) {
    case (.over, _): return []
    case (.passesOn, .response(let response)), (.holds, .response(let response)):
      guard (response as? HTTPURLResponse)?.statusCode == 401 else {
        state = .passesOn
        return [.respond(response)]
      }
      state = .holds(response, [])
      return []
    case (.passesOn, .data(let data)): return [.receive(data)]
    case (.holds(let response, let body), .data(let data)):
      state = .holds(response, body + [data])
      return []
    case (.passesOn, .retried), (.holds, .retried):
      state = .passesOn
      return []
    case (.passesOn, .ended(let error)):
      state = .over
      return [.end(error)]
    case (.holds(let response, let body), .ended(let error)):
      state = .over
      guard error == nil else { return [.end(error)] }
      return [.respond(response)] + body.map(Action.receive) + [.end(nil)]
    }
  }
}

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
