import KettleModel

/// The byte range that an attempt requests, and what will prove that it belongs to the rest.
package struct RequestedRange: Sendable, Hashable {
  package var lower: Int64
  /// Exclusive; nil requests everything up to the end.
  package var upper: Int64?
  package var proof: Proof

  package enum Proof: Sendable, Hashable {
    /// The server compares: it sends the range only for the version with this strong validator (RFC
    /// 9110, section 13.1.5).
    case ifRange(String)
    /// We compare: the reply must have the known strong validator. For servers that reply to
    /// `If-Range` with the whole file although nothing changed.
    case sameValidator
    /// Durable bytes are repeated and must be equal; for servers without a strong validator, or
    /// with another one each time. If `suspect`, the tag that raised the doubt, is repeated, it is
    /// not random but another version's.
    case overlap(suspect: String?)
  }

  package init(lower: Int64, upper: Int64?, proof: Proof) {
    self.lower = lower
    self.upper = upper
    self.proof = proof
  }

  /// `Range`, and `If-Range` if the server is to compare.
  package var headers: [HeaderField] {
    let last = upper.map { String($0 - 1) } ?? ""
    let range = HeaderField(received: "Range", "bytes=\(lower)-\(last)")
    switch proof {
    case .ifRange(let validator): return [range, HeaderField(received: "If-Range", validator)]
    case .sameValidator, .overlap: return [range]
    }
  }
}

/// What the next attempt of a transfer without a connection requests.
package enum Asking: Sendable, Hashable {
  /// What the record allows: the first gap, proved by the validator or by an overlap.
  case goingOn
  case proving(RequestedRange.Proof)
  /// The whole file; durable bytes are compared with it and kept.
  case comparing
  /// The whole file into a new partial file; the durable bytes are useless.
  case fresh(FreshStartReason)
}
