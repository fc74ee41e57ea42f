import KettleSystem

/// One request as the origin received it.
package struct DemoRequest: Hashable, Sendable {
  package var method: String
  package var path: String
  package var range: String?
  package var ifRange: String?
  package var status: Int
  /// The body bytes passed to the socket so far; it has accepted all but at most one piece.
  package var bytesSent: Int64 = 0
}

/// The most recent requests, in order. Written on the event loop, readable from any thread.
final class DemoRequestLog: Sendable {
  /// The log of a demo that runs for days must not grow.
  static let countMax = 10_000

  private struct State {
    var requests: [DemoRequest] = []
    var droppedCount = 0
  }

  private let state = Mutex(State())

  var requests: [DemoRequest] { state.withLock { $0.requests } }

  /// Returns the number that identifies the request from now on.
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
