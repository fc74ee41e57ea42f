/// Which variant of an HLS playlist the user wants.
public enum PlaylistVariant: Hashable, Sendable {
  /// The one with the lowest bit rate.
  case smallest
  /// The best one with at most this many lines, or else the smallest.
  case lines(Int)
  /// The best one with at most this bit rate, or else the smallest.
  case bitsPerSecond(Int64)
}

extension PlaylistVariant: RawRepresentable, Codable {
  /// `smallest`, a number of lines such as `720p`, or a bit rate such as `2500k` or `3M`.
  public var rawValue: String {
    switch self {
    case .smallest: "smallest"
    case .lines(let count): "\(count)p"
    case .bitsPerSecond(let rate): "\(rate)"
    }
  }

  public init?(rawValue text: String) {
    if text == "smallest" {
      self = .smallest
      return
    }
    guard let number = Int64(text.prefix { $0.isASCII && $0.isNumber }), number > 0 else {
      return nil
    }
    let factor: Int64
    switch text.drop(while: { $0.isASCII && $0.isNumber }) {
    case "p":
      guard let count = Int(exactly: number) else { return nil }
      self = .lines(count)
      return
    case "": factor = 1
    case "k", "K": factor = 1000
    case "M": factor = 1_000_000
    default: return nil
    }
    let (rate, overflows) = number.multipliedReportingOverflow(by: factor)
    guard !overflows else { return nil }
    self = .bitsPerSecond(rate)
  }
}
