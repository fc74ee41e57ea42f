import Foundation
import FoundationNetworking
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
