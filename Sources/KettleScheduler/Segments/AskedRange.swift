import KettleModel

/// The part of a file that an attempt asks for, and what will prove that it belongs to the rest.
package struct AskedRange: Sendable, Hashable {
  package var lower: Int64
  /// Not included; nil asks for everything up to the end.
  package var upper: Int64?
  package var proof: Proof

  package enum Proof: Sendable, Hashable {
    /// The server compares: it sends the range only of the version with this strong validator
    /// (RFC 9110, section 13.1.5).
    case ifRange(String)
    /// We compare: the reply must bear the known, strong validator. For servers that answer
    /// `If-Range` with the whole file though nothing has changed.
    case sameValidator
    /// Bytes that are held come again and must be the same; for servers that give no strong
    /// validator, or another one each time. When `suspect`, the tag of the reply that raised the
    /// doubt, comes a second time, it is no random tag but another version.
    case overlap(suspect: String?)
  }

  package init(lower: Int64, upper: Int64?, proof: Proof) {
    self.lower = lower
    self.upper = upper
    self.proof = proof
  }

  /// `Range`, and `If-Range` where the server is to compare.
  package var headers: [HeaderField] {
    let last = upper.map { String($0 - 1) } ?? ""
    let range = HeaderField(received: "Range", "bytes=\(lower)-\(last)")
    switch proof {
    case .ifRange(let validator): return [range, HeaderField(received: "If-Range", validator)]
    case .sameValidator, .overlap: return [range]
    }
  }
}

/// What the next attempt of a transfer without a connection asks for.
package enum Asking: Sendable, Hashable {
  /// What the record allows: the first gap, proved by the validator or by an overlap.
  case goingOn
  case proving(AskedRange.Proof)
  /// The whole file; what is held is compared with it and kept.
  case comparing
  /// The whole file into a new partial file; what is held is of no use.
  case fresh(FreshStartReason)
}
