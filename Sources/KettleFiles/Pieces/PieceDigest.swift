import KettleModel

/// The digest of one piece of a file, computed as its bytes are read, in their order.
struct PieceDigest: ~Copyable {
  private let expected: String
  private var zeroByteCount: Int64
  /// Of all bytes; nil for a tree.
  private var whole: MessageDigest?
  /// nil for a digest of all bytes.
  private var tree: MerkleTree?

  /// A piece that does not exist matches nothing. If libcrypto lacks the algorithm, `update` fails.
  init(_ pieces: PieceHashes, _ index: Int) {
    expected = pieces.digest(of: index)?.hexadecimal ?? ""
    zeroByteCount = pieces.zeroByteCount(of: index)
    switch pieces.form {
    case .merkle:
      tree = MerkleTree(leafCount: pieces.leafCount)
      whole = nil
    case .digest(let algorithm):
      whole = MessageDigest(algorithm)
      tree = nil
    }
  }

  /// Returns false when libcrypto fails.
  mutating func update(_ bytes: UnsafeRawBufferPointer) -> Bool {
    tree?.update(bytes) ?? whole?.update(bytes) ?? false
  }

  /// Returns whether the bytes are the expected ones; nil when libcrypto fails.
  consuming func matches() -> Bool? {
    let zeros = [UInt8](repeating: 0, count: Int(min(zeroByteCount, 64 << 10)))
    while zeroByteCount > 0 {
      let count = Int(min(zeroByteCount, Int64(zeros.count)))
      let isTaken = zeros.withUnsafeBytes {
        update(UnsafeRawBufferPointer(rebasing: $0.prefix(count)))
      }
      guard isTaken else { return nil }
      zeroByteCount -= Int64(count)
    }
    if var tree = tree.take() { return tree.root().map { $0.hexadecimal == expected } }
    return whole.take()?.finish().map { $0 == expected }
  }
}

/// The SHA-256 tree over blocks of 16 KiB (BEP 52). Missing leaves are zeros.
struct MerkleTree: ~Copyable {
  private static let digestByteCount = Checksum.Algorithm.sha256.hexDigitCount / 2

  private let leafCount: Int
  private var leaves: [[UInt8]] = []
  /// The digest of the block that is being filled.
  private var leaf: MessageDigest?
  private var leafByteCount = 0

  /// - Parameter leafCount: a power of two.
  init(leafCount: Int) { self.leafCount = leafCount }

  /// Returns false when libcrypto fails.
  mutating func update(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      if leafByteCount == 0 { leaf = MessageDigest(.sha256) }
      let count = min(rest.count, Int(PieceHashes.leafByteCount) - leafByteCount)
      let part = UnsafeRawBufferPointer(rebasing: rest.prefix(count))
      guard leaf?.update(part) == true else { return false }
      leafByteCount += count
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      if leafByteCount == Int(PieceHashes.leafByteCount), !endLeaf() { return false }
    }
    return true
  }

  private mutating func endLeaf() -> Bool {
    guard let digest = leaf.take()?.finishBytes() else { return false }
    leaves.append(digest)
    leafByteCount = 0
    return true
  }

  /// Returns the root; nil when libcrypto fails.
  mutating func root() -> [UInt8]? {
    if leafByteCount > 0, !endLeaf() { return nil }
    var level = leaves
    var width = leafCount
    var padding = [UInt8](repeating: 0, count: Self.digestByteCount)
    while width > 1 {
      if !level.count.isMultiple(of: 2) { level.append(padding) }
      var above: [[UInt8]] = []
      for index in stride(from: 0, to: level.count - 1, by: 2) {
        guard let digest = Self.digest(level[index] + level[index + 1]) else { return nil }
        above.append(digest)
      }
      guard let next = Self.digest(padding + padding) else { return nil }
      (level, padding, width) = (above, next, width / 2)
    }
    return level.first ?? padding
  }

  private static func digest(_ bytes: [UInt8]) -> [UInt8]? {
    guard let digest = MessageDigest(.sha256), bytes.withUnsafeBytes({ digest.update($0) }) else {
      return nil
    }
    return digest.finishBytes()
  }
}
