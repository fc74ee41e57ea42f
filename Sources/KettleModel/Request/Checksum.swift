/// The expected digest of a file.
public struct Checksum: Hashable, Sendable {
  public enum Algorithm: String, Sendable, Codable, CaseIterable {
    case md5, sha1, sha224, sha256, sha384, sha512

    public var hexDigitCount: Int {
      switch self {
      case .md5: 32
      case .sha1: 40
      case .sha224: 56
      case .sha256: 64
      case .sha384: 96
      case .sha512: 128
      }
    }
  }

  public let algorithm: Algorithm
  /// Lower-case hexadecimal.
  public let hex: String

  /// Returns nil if the digits are not hexadecimal or their number does not match the algorithm.
  public init?(algorithm: Algorithm, hex: String) {
    let lowered = hex.lowercased()
    guard lowered.utf8.count == algorithm.hexDigitCount,
      lowered.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
    else { return nil }
    self.algorithm = algorithm
    self.hex = lowered
  }

  /// Parses `sha256:HEX`, or the digits alone, whose number shows the algorithm.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 1 {
      let algorithms = Algorithm.allCases.filter { $0.hexDigitCount == text.utf8.count }
      guard algorithms.count == 1 else { return nil }
      self.init(algorithm: algorithms[0], hex: text)
      return
    }
    guard parts.count == 2, let algorithm = Algorithm(rawValue: parts[0].lowercased()) else {
      return nil
    }
    self.init(algorithm: algorithm, hex: String(parts[1]))
  }

  public var text: String { algorithm.rawValue + ":" + hex }
}

extension Checksum: Codable {
  private enum CodingKeys: String, CodingKey { case algorithm, hex }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let algorithm = try container.decode(Algorithm.self, forKey: .algorithm)
    let hex = try container.decode(String.self, forKey: .hex)
    guard let checksum = Checksum(algorithm: algorithm, hex: hex) else {
      throw DecodingError.dataCorruptedError(
        forKey: .hex, in: container, debugDescription: "not the digits of this algorithm")
    }
    self = checksum
  }
}
