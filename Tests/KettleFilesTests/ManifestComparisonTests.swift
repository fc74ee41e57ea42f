import Foundation
import KettleModel
import Testing
import TestSupport

@testable import KettleFiles

/// Comparing files on the disk with what a manifest says.
@Suite struct ManifestComparisonTests {
  private let directory: ScratchDirectory
  private var path: String { directory.path + "/file" }

  init() throws { directory = try ScratchDirectory() }

  private static func content(_ byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) }
  }

  private func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: path)) }

  private func standing(_ entry: Manifest.Entry) -> ManifestStanding {
    ManifestComparison.standing(of: path, entry) { _ in true }
  }

  private func checksum(
    _ bytes: [UInt8], _ algorithm: Checksum.Algorithm = .sha256
  ) throws -> Checksum {
    let hex = try #require(TestDigest.hex(of: bytes, algorithm))
    return try #require(Checksum(algorithm: algorithm, hex: hex))
  }

  private func pieces(
    _ content: [UInt8], each size: Int, _ algorithm: Checksum.Algorithm = .sha1
  ) throws -> PieceHashes {
    let digests = try stride(from: 0, to: content.count, by: size).flatMap { lower in
      try checksum(Array(content[lower..<min(lower + size, content.count)]), algorithm).bytes
    }
    return try #require(
      PieceHashes(
        .digest(algorithm), pieceByteCount: Int64(size), of: Int64(content.count), digests: digests)
    )
  }

  private func found(_ standing: ManifestStanding) throws -> ManifestStanding.Comparison {
    guard case .read(let found) = standing else {
      throw TransferFailure(.internalProblem, on: "\(standing)")
    }
    return found
  }

  @Test func `a right file matches all its digests and pieces`() throws {
    let content = Self.content(700_001)
    try write(content)
    var entry = Manifest.Entry(byteCount: 700_001, pieces: try pieces(content, each: 65536))
    entry.checksums = try [Checksum.Algorithm.md5, .sha512].map { try checksum(content, $0) }
    #expect(standing(entry).matches(entry))
  }

  @Test func `the damaged pieces are found, joined where they touch`() throws {
    var content = Self.content(700_001)
    var entry = Manifest.Entry(byteCount: 700_001, pieces: try pieces(content, each: 65536))
    entry.checksums = [try checksum(content)]
    for index in [65536, 131_071, 131_072, 700_000] { content[index] ^= 1 }
    try write(content)
    let found = try found(standing(entry))
    #expect(
      found.damaged.ranges
        == [
          ByteRange(lower: 65536, upper: 196_608), ByteRange(lower: 655_360, upper: 700_001),
        ].compactMap(\.self))
    #expect(found.wrong == entry.checksums)
  }

  @Test func `of a truncated file the pieces that are there are compared`() throws {
    var content = Self.content(300_000)
    let entry = Manifest.Entry(byteCount: 300_000, pieces: try pieces(content, each: 65536))
    content[0] ^= 1
    try write(Array(content.prefix(200_000)))
    let found = try found(standing(entry))
    #expect(found.byteCount == 200_000)
    #expect(found.damaged.ranges == [ByteRange(lower: 0, upper: 65536)].compactMap(\.self))
    #expect(!standing(entry).matches(entry))
  }

  @Test func `zeros behind the file belong to its last piece`() throws {
    let content = Self.content(100)
    try write(content)
    let padded = content + [UInt8](repeating: 0, count: 28)
    let digest = try checksum(padded, .sha1).bytes
    let pieces = try #require(
      PieceHashes(
        .digest(.sha1), pieceByteCount: 128, of: 100, zeroByteCount: 28, digests: digest))
    let entry = Manifest.Entry(byteCount: 100, pieces: pieces)
    #expect(standing(entry).matches(entry))
  }

  @Test(arguments: [1, 16384, 16385, 70000])
  func `a tree of blocks has the root that is computed step by step`(byteCount: Int) throws {
    let content = Self.content(byteCount)
    try write(content)
    func sha256(_ bytes: [UInt8]) throws -> [UInt8] { try checksum(bytes).bytes }
    var level = try stride(from: 0, to: byteCount, by: 16384).map {
      try sha256(Array(content[$0..<min($0 + 16384, byteCount)]))
    }
    while level.count & (level.count - 1) != 0 { level.append([UInt8](repeating: 0, count: 32)) }
    while level.count > 1 {
      level = try stride(from: 0, to: level.count, by: 2).map {
        try sha256(level[$0] + level[$0 + 1])
      }
    }
    let root = try #require(level.first)
    let pieces = try #require(
      PieceHashes(.merkle, pieceByteCount: 1 << 20, of: Int64(byteCount), digests: root))
    let entry = Manifest.Entry(byteCount: Int64(byteCount), pieces: pieces)
    #expect(standing(entry).matches(entry))
    var wrong = content
    wrong[byteCount - 1] ^= 1
    try write(wrong)
    #expect(!standing(entry).matches(entry))
  }

  @Test func `what is no file is named`() throws {
    let entry = Manifest.Entry(byteCount: 1)
    #expect(standing(entry) == .missing)
    #expect(ManifestComparison.standing(of: directory.path, entry) { _ in true } == .notAFile)
    #expect(
      ManifestComparison.standing(of: path + "/below", entry) { _ in true } == .missing)
    #expect(ManifestComparison.standing(of: "/dev/zero", entry) { _ in true } == .notAFile)
  }

  @Test func `a file of another size is not read for its digest`() throws {
    try write(Self.content(10))
    let entry = Manifest.Entry(
      byteCount: 11, checksums: [try #require(Checksum(String(repeating: "a", count: 64)))])
    var count: Int64 = 0
    let standing = ManifestComparison.standing(of: path, entry) {
      count += $0
      return true
    }
    #expect(try found(standing) == ManifestStanding.Comparison(byteCount: 10))
    #expect(count == 0)
  }
}
