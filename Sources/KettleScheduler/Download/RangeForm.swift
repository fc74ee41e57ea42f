import KettleModel

/// Which ranges are requested of the server of a transfer, after what it has made of earlier ones.
enum RangeForm: Sendable, Hashable {
  /// Any, also those that end before the file does (`bytes=A-B`).
  case any(wrongReplyCount: Int)
  /// Only the rest of the file (`bytes=A-`), over one connection: the server does not keep to the
  /// end of a range.
  case toEnd(wrongReplyCount: Int)
  /// None: the whole file.
  case none

  static let untried = RangeForm.any(wrongReplyCount: 0)

  /// How many consecutive wrong replies to a form rule it out.
  private static let wrongReplyCountMax = 2

  /// Whether several connections may each request a part.
  var permitsParts: Bool {
    switch self {
    case .any: true
    case .toEnd, .none: false
    }
  }

  /// Returns the range as it is requested; nil if none is.
  func formed(_ range: RequestedRange) -> RequestedRange? {
    switch self {
    case .any: return range
    case .toEnd:
      var open = range
      open.upper = nil
      return open
    case .none: return nil
    }
  }

  /// Records a reply that is not the requested range.
  mutating func recordWrongReply(to requested: RequestedRange?) {
    switch self {
    case .any where requested?.upper != nil: self = .toEnd(wrongReplyCount: 0)
    case .any(let count):
      self = count + 1 < Self.wrongReplyCountMax ? .any(wrongReplyCount: count + 1) : .none
    // It was requested before the first of them was answered.
    case .toEnd where requested?.upper != nil: break
    case .toEnd(let count):
      self = count + 1 < Self.wrongReplyCountMax ? .toEnd(wrongReplyCount: count + 1) : .none
    case .none: break
    }
  }

  mutating func recordRightReply() {
    switch self {
    case .any, .none: self = .untried
    case .toEnd: self = .toEnd(wrongReplyCount: 0)
    }
  }
}
