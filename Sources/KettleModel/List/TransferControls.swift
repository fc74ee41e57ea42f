/// What a client can ask of transfers. The raw value is its name in the protocol.
package enum ControlVerb: String, Codable, Hashable, Sendable, CaseIterable {
  case start, pause, stop
  /// Starts it from zero, whatever it has; its bytes go to the bin.
  case startFresh
  /// Takes what arrived in place of the file as the file, or trusts the server's certificate.
  case accept
  /// Applies the login and the trusted certificates of a transfer to all from the same hosts.
  case remember
  /// Removes it from the list; a finished file stays.
  case remove
  /// Removes it from the list and deletes the finished file if it is still what Kettle wrote.
  case removeWithFile
}

/// A move in the order of the list. Moved transfers keep their order among each other.
package enum QueueMove: String, Codable, Hashable, Sendable, CaseIterable {
  /// Past the nearest transfer that is neither running nor finished; those at the end stay.
  case up, down
  case toTop, toBottom
}

/// A transfer that a control does not apply to.
package struct ControlRefusal: Codable, Hashable, Sendable {
  package enum Why: String, Codable, Hashable, Sendable {
    /// No transfer has this id.
    case unknown
    /// A completed transfer is final until reset.
    case completed
    /// Never started, so there is nothing to pause.
    case notStarted
    /// It does not ask for a decision, so there is nothing to accept.
    case nothingToDecide
  }

  package var id: TransferID
  package var why: Why

  package init(id: TransferID, why: Why) {
    self.id = id
    self.why = why
  }
}
