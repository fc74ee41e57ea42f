/// The transfers that a control applies to.
package enum TransferSelection: Hashable, Sendable {
  case ids([TransferID])
  /// All transfers to which the control can apply; none is refused.
  case all
  /// The transfers that match the filter when the service handles the request, except the named
  /// ones.
  case matching(RowFilter, except: [TransferID])
}

extension TransferSelection: Codable {
  private enum CodingKeys: String, CodingKey { case ids, all, matching, except }

  /// `{"ids": [1, 2]}`, `{"all": true}` or `{"matching": {"states": ["failed"]}, "except": [3]}`.
  /// An empty object would select by mistake, so it is refused.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let ids = try container.decodeIfPresent([TransferID].self, forKey: .ids) {
      self = .ids(ids)
    } else if let filter = try container.decodeIfPresent(RowFilter.self, forKey: .matching) {
      let except = try container.decodeIfPresent([TransferID].self, forKey: .except)
      self = .matching(filter, except: except ?? [])
    } else if try container.decodeIfPresent(Bool.self, forKey: .all) == true {
      self = .all
    } else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "neither ids, matching nor all"))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .ids(let ids): try container.encode(ids, forKey: .ids)
    case .all: try container.encode(true, forKey: .all)
    case .matching(let filter, let except):
      try container.encode(filter, forKey: .matching)
      try container.encode(except, forKey: .except)
    }
  }
}

/// What a client can ask of transfers. The raw value is its name in the protocol.
package enum ControlVerb: String, Codable, Hashable, Sendable, CaseIterable {
  case start, pause, stop
  /// Starts it from zero, whatever it has; its bytes go to the bin.
  case startFresh
  /// Takes what arrived in place of the file as the file, or trusts the server's certificate.
  case accept
  /// Applies the login and the trusted certificates of a transfer to all from the same hosts.
  case remember
  /// Compares its finished file with what is known of the bytes.
  case verify
  /// Fetches the damaged bytes of its finished file again.
  case repair
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
    /// There is no finished file of Kettle's to compare or repair.
    case noFinishedFile
    /// A host of the fleet places its file at the moment, or its state does not permit it.
    case busy
  }

  package var id: TransferID
  package var why: Why

  package init(id: TransferID, why: Why) {
    self.id = id
    self.why = why
  }
}
