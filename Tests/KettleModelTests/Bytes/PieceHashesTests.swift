import Foundation
import Testing

@testable import KettleModel

struct PieceHashesTests {
  private func pieces(
    _ count: Int, of byteCount: Int64, each pieceByteCount: Int64 = 100,
    from firstOffset: Int64 = 0, zeros: Int64 = 0, _ form: PieceHashes.Form = .digest(.sha1)
  ) -> PieceHashes? {
    PieceHashes(
      form, pieceByteCount: pieceByteCount, of: byteCount, startingAt: firstOffset,
      zeroByteCount: zeros, digests: [UInt8](repeating: 7, count: count * form.digestByteCount))
  }

  @Test func `the number of pieces is the one that the sizes say`() {
    #expect(pieces(3, of: 250) != nil)
    #expect(pieces(3, of: 300) != nil)
    #expect(pieces(3, of: 200) == nil)
    #expect(pieces(4, of: 250) == nil)
    // The last bytes may belong to a piece that they share.
    #expect(pieces(2, of: 250) != nil)
    #expect(pieces(1, of: 250) == nil)
    #expect(pieces(2, of: 250, from: 50) != nil)
    #expect(pieces(2, of: 250, from: 100) == nil)
    #expect(pieces(0, of: 50) == nil)
    #expect(pieces(1, of: 0) == nil)
    #expect(pieces(1, of: 50, each: 0) == nil)
    #expect(pieces(1, of: .max, each: .max) == nil)
  }

  @Test func `a digest that is cut is none`() {
    #expect(
      PieceHashes(
        .digest(.sha1), pieceByteCount: 4, of: 4, digests: [UInt8](repeating: 0, count: 21)) == nil)
  }

  @Test func `zeros fill no more than the last piece`() {
    #expect(pieces(3, of: 250, zeros: 50) != nil)
    #expect(pieces(3, of: 250, zeros: 51) == nil)
    #expect(pieces(2, of: 250, zeros: 1) == nil)
    #expect(pieces(3, of: 250, zeros: -1) == nil)
  }

  @Test func `a tree has pieces of a power of two and covers the whole file`() {
    #expect(pieces(2, of: 20000, each: 16384, .merkle)?.leafCount == 1)
    #expect(pieces(1, of: 70000, each: 1 << 20, .merkle)?.leafCount == 8)
    #expect(pieces(1, of: 20000, each: 16384, .merkle) == nil)
    #expect(pieces(1, of: 100, each: 8192, .merkle) == nil)
    #expect(pieces(1, of: 100, each: 20000, .merkle) == nil)
  }

  @Test func `pieces keep their value when they are stored`() throws {
    let known = try #require(pieces(2, of: 230, from: 30))
    let data = try JSONEncoder().encode(known)
    #expect(try JSONDecoder().decode(PieceHashes.self, from: data) == known)
    let wrong = String(decoding: data, as: UTF8.self).replacing("230", with: "430")
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(PieceHashes.self, from: Data(wrong.utf8))
    }
  }
}
