import KettleModel

/// Which URLs of the form are already in the list, according to the service.
package struct DuplicateSearch: Hashable, Sendable {
  /// A transfer with the same URL.
  package struct Found: Hashable, Sendable {
    package var id: TransferID
    package var state: TransferState

    package init(id: TransferID, state: TransferState) {
      self.id = id
      self.state = state
    }
  }

  /// The list may be long, so the search waits until the user has stopped typing.
  package static let delayMilliseconds: Int64 = 300

  package internal(set) var found: [String: Found] = [:]
  /// The time of the last change that has not been searched for yet.
  private var changedAt: MonotonicTime?

  package init() {}

  mutating func textChanged(at now: MonotonicTime) { changedAt = now }

  func millisecondsLeft(at now: MonotonicTime) -> Int64? {
    changedAt.map { max(0, Self.delayMilliseconds - now.milliseconds(since: $0)) }
  }

  /// Returns whether the search is due; returns true only once for each text.
  mutating func isDue(at now: MonotonicTime) -> Bool {
    guard millisecondsLeft(at: now) == 0 else { return false }
    changedAt = nil
    return true
  }
}
