import KettleSystem

/// One request as the origin saw it.
package struct DemoRequest: Hashable, Sendable {
  package var method: String
  package var path: String
  package var range: String?
  package var ifRange: String?
  package var status: Int
  /// Bytes of the body that were handed to the socket so far; at most one piece is not yet taken.
  package var bytesSent: Int64 = 0
}

/// The newest requests, in order. Written on the event loop, read from anywhere.
final class RequestLog: Sendable {
  /// A demo left running for days must not grow.
  static let countMax = 10_000

  private struct State {
    var requests: [DemoRequest] = []
    var droppedCount = 0
  }

  private let state = Mutex(State())

  var requests: [DemoRequest] { state.withLock { $0.requests } }

  /// Answers the number by which the request is called from here on.
  func append(_ request: DemoRequest) -> Int {
    state.withLock { state in
      if state.requests.count == Self.countMax {
        state.requests.removeFirst(Self.countMax / 2)
        state.droppedCount += Self.countMax / 2
      }
      state.requests.append(request)
      return state.droppedCount + state.requests.count - 1
    }
  }

  func sent(_ byteCount: Int, of number: Int) {
    state.withLock { state in
      let index = number - state.droppedCount
      guard state.requests.indices.contains(index) else { return }
      state.requests[index].bytesSent += Int64(byteCount)
    }
  }
}
