import Glibc
import KettleModel

/// Compares a file of any origin with what a manifest says. Each byte is read once, however many
/// digests there are. Reads no FIFO and no device.
package enum ManifestComparison {
  private static let bufferByteCount = 256 << 10

  /// Returns what is under a path.
  ///
  /// - Parameter advance: is called now and then with how many bytes were read since; returns
  ///   whether to go on. When it returns false, the result counts for nothing.
  package static func standing(
    of path: String, _ entry: Manifest.Entry, advance: (Int64) -> Bool
  ) -> ManifestStanding {
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    do {
      let file = OpenFile(owning: try Errno.retrying { open(path, flags) })
      let status = try file.status()
      guard status.isRegular else { return .notAFile }
      return try compare(file, of: status.identity.byteCount, with: entry, advance)
    } catch {
      switch error.rawValue {
      case ENOENT, ENOTDIR: return .missing
      case EISDIR, ENXIO: return .notAFile
      // A name that is too long for the file system exists nowhere.
      case ENAMETOOLONG: return .missing
      case _: return .unreadable(detail: error.name)
      }
    }
  }

  private static func compare(
    _ file: OpenFile, of byteCount: Int64, with entry: Manifest.Entry, _ advance: (Int64) -> Bool
  ) throws(Errno) -> ManifestStanding {
    var found = ManifestStanding.Comparison(byteCount: byteCount)
    let hasSize = byteCount == entry.byteCount ?? byteCount
    // A file of another size has another digest. Its pieces show where it differs.
    if !hasSize, entry.pieces == nil { return .read(found) }
    let wholes = RunningDigests(hasSize ? entry.checksums : [])
    var pieces = entry.pieces.map { PieceCursor($0, fileByteCount: byteCount) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: bufferByteCount, alignment: 4096)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while offset < byteCount, !wholes.isEmpty || pieces != nil {
      let count = Int(min(byteCount - offset, Int64(buffer.count)))
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count))
      guard try file.read(part, at: offset) else {
        return .unreadable(detail: "it became shorter while it was read")
      }
      let bytes = UnsafeRawBufferPointer(part)
      guard wholes.update(bytes), pieces?.update(bytes, at: offset) ?? true else {
        return .noDigest
      }
      offset += Int64(count)
      guard advance(Int64(count)) else { break }
    }
    guard let digests = wholes.finish() else { return .noDigest }
    (found.wrong, found.inPlaceOfWrong) = digests
    found.damaged = pieces?.damaged ?? ByteRangeSet()
    return .read(found)
  }
}

extension ManifestStanding {
  /// In FIPS mode there is no MD5.
  fileprivate static var noDigest: ManifestStanding {
    .unreadable(detail: "libcrypto does not offer the algorithm of its checksum")
  }
}

/// The digests of a whole file that are computed together.
private struct RunningDigests {
  /// A class, because an array cannot have elements that cannot be copied.
  private final class One {
    let expected: Checksum
    var digest: MessageDigest?

    init(_ expected: Checksum) {
      self.expected = expected
      digest = MessageDigest(expected.algorithm)
    }
  }

  private let all: [One]

  init(_ expected: [Checksum]) { all = expected.map { One($0) } }

  var isEmpty: Bool { all.isEmpty }

  /// Returns false when libcrypto fails.
  func update(_ bytes: UnsafeRawBufferPointer) -> Bool {
    all.allSatisfy { $0.digest?.update(bytes) ?? false }
  }

  /// Returns the expected digests that the bytes do not have, and those that they have instead; nil
  /// when libcrypto fails.
  func finish() -> (wrong: [Checksum], found: [Checksum])? {
    var result: (wrong: [Checksum], found: [Checksum]) = ([], [])
    for one in all {
      guard let hex = one.digest.take()?.finish() else { return nil }
      guard hex != one.expected.hex else { continue }
      guard let found = Checksum("\(one.expected.algorithm.rawValue):\(hex)") else { return nil }
      result.wrong.append(one.expected)
      result.found.append(found)
    }
    return result
  }
}

/// Compares the pieces of a file while it is read from its beginning to its end.
struct PieceCursor: ~Copyable {
  private let pieces: PieceHashes
  /// The end of the last piece that the file has wholly.
  private let fileByteCount: Int64
  private var index = 0
  private var running: PieceDigest?
  private(set) var damaged = ByteRangeSet()

  /// - Parameter fileByteCount: the size of the file. A piece that is cut is not compared.
  init(_ pieces: PieceHashes, fileByteCount: Int64) {
    self.pieces = pieces
    self.fileByteCount = fileByteCount
  }

  /// Returns false when libcrypto fails.
  mutating func update(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
    while let piece = pieces.range(of: index), piece.upper <= fileByteCount {
      let lower = max(piece.lower, offset)
      let upper = min(piece.upper, offset + Int64(bytes.count))
      guard lower < upper else { return true }
      if lower == piece.lower { running = PieceDigest(pieces, index) }
      let part = bytes[Int(lower - offset)..<Int(upper - offset)]
      guard running?.update(UnsafeRawBufferPointer(rebasing: part)) == true else { return false }
      guard upper == piece.upper else { return true }
      guard let isRight = running.take()?.matches() else { return false }
      if !isRight { damaged.insert(piece) }
      index += 1
    }
    return true
  }
}
