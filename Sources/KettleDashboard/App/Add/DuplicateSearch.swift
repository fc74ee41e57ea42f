import KettleModel

/// Which URLs of the form are in the list already, as the service knows.
package struct DuplicateSearch: Hashable, Sendable {
  /// A transfer that has the same URL.
  package struct Found: Hashable, Sendable {
    package var id: TransferID
    package var state: TransferState

    package init(id: TransferID, state: TransferState) {
      self.id = id
      self.state = state
    }
  }

  /// The list may be long: it is searched when nobody typed for a while.
  package static let delay: Int64 = 300

  package internal(set) var found: [String: Found] = [:]
  /// Since when the text stands that was not asked about.
  private var changedAt: MonotonicTime?

  package init() {}

  mutating func textChanged(at now: MonotonicTime) { changedAt = now }

  func millisecondsLeft(at now: MonotonicTime) -> Int64? {
    changedAt.map { max(0, Self.delay - now.milliseconds(since: $0)) }
  }

  /// Whether it is time to ask; asking is done once for a text.
  mutating func isDue(at now: MonotonicTime) -> Bool {
    guard millisecondsLeft(at: now) == 0 else { return false }
    changedAt = nil
    return true
  }
}
