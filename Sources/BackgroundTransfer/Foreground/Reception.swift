import Foundation
import FoundationNetworking

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
