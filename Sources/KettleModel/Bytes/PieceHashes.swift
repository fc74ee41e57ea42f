/// The digests of consecutive pieces of a file, as a Metalink or a torrent lists them.
///
/// Invariant: a value that exists is valid. The number of digests is the one that the sizes say,
/// each has the length of its algorithm, and both are bounded, so that no document makes a
/// comparison expensive.
public struct PieceHashes: Hashable, Sendable {
  public enum Form: Hashable, Sendable {
    /// The digest of the bytes of a piece (RFC 5854, section 4.1.3; BEP 3).
    case digest(Checksum.Algorithm)
    /// The root of the SHA-256 tree over blocks of 16 KiB (BEP 52).
    case merkle

    public var digestByteCount: Int {
      switch self {
      case .digest(let algorithm): algorithm.hexDigitCount / 2
      case .merkle: Checksum.Algorithm.sha256.hexDigitCount / 2
      }
    }
  }

  public let form: Form
  /// The size of the file.
  public let byteCount: Int64
  public let pieceByteCount: Int64
  /// Where the first piece begins. In a torrent with several files, a piece with bytes of two of
  /// them proves neither.
  public let firstOffset: Int64
  /// How many zeros follow the file in its last piece (BEP 47).
  public let zeroByteCount: Int64
  /// The digests, one after the other.
  public let digests: [UInt8]
  public let count: Int

  public static let countMax = 1_000_000
  public static let digestByteCountMax = 16 << 20
  /// Larger pieces exist nowhere, and one that is wrong is fetched again as a whole.
  public static let pieceByteCountMax: Int64 = 1 << 30
  /// The blocks of a tree.
  package static let leafByteCount: Int64 = 16 << 10

  /// Returns nil unless all values fit together.
  public init?(
    _ form: Form, pieceByteCount: Int64, of byteCount: Int64, startingAt firstOffset: Int64 = 0,
    zeroByteCount: Int64 = 0, digests: [UInt8]
  ) {
    let count = digests.count / form.digestByteCount
    guard count > 0, count <= Self.countMax, digests.count <= Self.digestByteCountMax,
      digests.count == count * form.digestByteCount,
      (1...Self.pieceByteCountMax).contains(pieceByteCount),
      (0..<pieceByteCount).contains(firstOffset), byteCount > firstOffset
    else { return nil }
    // At most 2^20 pieces of at most 2^30 bytes fit into 64 bits.
    let upper = firstOffset + Int64(count) * pieceByteCount
    let isMoreThanFile = upper - pieceByteCount >= byteCount
    let isLessThanFile = byteCount - pieceByteCount >= upper
    // Only the last piece of the file may be shorter, and only it may end with zeros.
    let missing = upper - byteCount
    guard !isMoreThanFile, !isLessThanFile, (0...max(0, missing)).contains(zeroByteCount) else {
      return nil
    }
    if form == .merkle {
      guard firstOffset == 0, zeroByteCount == 0, missing >= 0,
        pieceByteCount >= Self.leafByteCount, pieceByteCount & (pieceByteCount - 1) == 0
      else { return nil }
    }
    self.form = form
    self.byteCount = byteCount
    self.pieceByteCount = pieceByteCount
    self.firstOffset = firstOffset
    self.zeroByteCount = zeroByteCount
    self.digests = digests
    self.count = count
  }

  /// The bytes that have a digest.
  public var covered: ByteRange {
    let upper = firstOffset + Int64(count) * pieceByteCount
    return ByteRange(lower: firstOffset, upper: min(upper, byteCount)) ?? .nothing
  }

  /// Whether every byte of the file has a digest.
  public var coversAll: Bool { covered.byteCount == byteCount }

  /// The bytes of the piece with this index; nil if there is none.
  public func range(of index: Int) -> ByteRange? {
    guard (0..<count).contains(index) else { return nil }
    let lower = firstOffset + Int64(index) * pieceByteCount
    return ByteRange(lower: lower, upper: min(lower + pieceByteCount, byteCount))
  }

  /// The digest of the piece with this index; nil if there is none.
  public func digest(of index: Int) -> ArraySlice<UInt8>? {
    guard (0..<count).contains(index) else { return nil }
    let size = form.digestByteCount
    return digests[(index * size)..<((index + 1) * size)]
  }

  /// How many zeros follow the bytes of the piece with this index in what was digested.
  package func zeroByteCount(of index: Int) -> Int64 { index == count - 1 ? zeroByteCount : 0 }

  /// The pieces with bytes in a range.
  public func indices(touching range: ByteRange) -> Range<Int> {
    let lower = max(range.lower, covered.lower)
    let upper = min(range.upper, covered.upper)
    guard lower < upper else { return 0..<0 }
    let first = (lower - firstOffset) / pieceByteCount
    let last = (upper - 1 - firstOffset) / pieceByteCount
    return Int(first)..<(Int(last) + 1)
  }

  /// How many leaves the tree of a piece has. A file of a single piece has no more than it needs.
  package var leafCount: Int {
    guard count == 1 else { return Int(pieceByteCount / Self.leafByteCount) }
    var leafCount: Int64 = 1
    while leafCount * Self.leafByteCount < byteCount { leafCount *= 2 }
    return Int(leafCount)
  }
}

extension PieceHashes.Form: Codable {
  /// The words of the protocol and the store.
  private static let merkleWord = "sha256-tree"

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let word = try container.decode(String.self)
    if word == Self.merkleWord {
      self = .merkle
    } else if let algorithm = Checksum.Algorithm(rawValue: word) {
      self = .digest(algorithm)
    } else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "not an algorithm for pieces")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .merkle: try container.encode(Self.merkleWord)
    case .digest(let algorithm): try container.encode(algorithm.rawValue)
    }
  }
}

extension PieceHashes: Codable {
  private enum CodingKeys: String, CodingKey {
    case form = "algorithm"
    case byteCount, pieceByteCount, firstOffset, zeroByteCount, digests
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let pieces = PieceHashes(
      try container.decode(Form.self, forKey: .form),
      pieceByteCount: try container.decode(Int64.self, forKey: .pieceByteCount),
      of: try container.decode(Int64.self, forKey: .byteCount),
      startingAt: try container.decodeIfPresent(Int64.self, forKey: .firstOffset) ?? 0,
      zeroByteCount: try container.decodeIfPresent(Int64.self, forKey: .zeroByteCount) ?? 0,
      digests: try container.decode(Base64Bytes.self, forKey: .digests).bytes)
    guard let pieces else {
      throw DecodingError.dataCorruptedError(
        forKey: .digests, in: container, debugDescription: "the pieces do not fit the file")
    }
    self = pieces
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(form, forKey: .form)
    try container.encode(byteCount, forKey: .byteCount)
    try container.encode(pieceByteCount, forKey: .pieceByteCount)
    if firstOffset > 0 { try container.encode(firstOffset, forKey: .firstOffset) }
    if zeroByteCount > 0 { try container.encode(zeroByteCount, forKey: .zeroByteCount) }
    try container.encode(Base64Bytes(digests), forKey: .digests)
  }
}
