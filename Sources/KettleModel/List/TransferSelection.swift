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
