import Foundation
import SeededNumbers
import Testing

@testable import KettleModel

struct ByteRangeSetTests {
  private func held(_ pairs: (Int64, Int64)...) -> ByteRangeSet {
    var held = ByteRangeSet()
    for (lower, upper) in pairs {
      if let range = ByteRange(lower: lower, upper: upper) { held.insert(range) }
    }
    return held
  }

  private func pairs(_ held: ByteRangeSet) -> [[Int64]] {
    held.ranges.map { [$0.lower, $0.upper] }
  }

  private func range(_ lower: Int64, _ upper: Int64) throws -> ByteRange {
    try #require(ByteRange(lower: lower, upper: upper))
  }

  @Test func `ranges that overlap or touch become one`() {
    #expect(pairs(held((0, 5), (5, 9))) == [[0, 9]])
    #expect(pairs(held((5, 9), (0, 5))) == [[0, 9]])
    #expect(pairs(held((0, 6), (4, 9))) == [[0, 9]])
    #expect(pairs(held((0, 9), (2, 3))) == [[0, 9]])
    #expect(pairs(held((2, 3), (0, 9))) == [[0, 9]])
    #expect(pairs(held((0, 1), (4, 5), (8, 9), (1, 8))) == [[0, 9]])
    #expect(held((0, 5), (5, 9)) == held((0, 9)))
  }

  @Test func `ranges with a gap stay apart and in order`() {
    #expect(pairs(held((6, 9), (0, 5))) == [[0, 5], [6, 9]])
    #expect(pairs(held((8, 9), (0, 1), (4, 5))) == [[0, 1], [4, 5], [8, 9]])
  }

  @Test func `an empty range contains no bytes`() {
    #expect(held((5, 5)).isEmpty)
    #expect(pairs(held((0, 4), (6, 9), (5, 5))) == [[0, 4], [6, 9]])
  }

  @Test func `a prefix starts at offset 0`() {
    #expect(pairs(ByteRangeSet(prefix: 7)) == [[0, 7]])
    #expect(ByteRangeSet(prefix: 0).isEmpty)
    #expect(ByteRangeSet(prefix: -1).isEmpty)
    #expect(ByteRangeSet(prefix: .max).byteCount == .max)
  }

  @Test func `bytes are counted in total and up to the first gap`() {
    #expect(held((0, 5), (7, 9)).byteCount == 7)
    #expect(held((0, 5), (7, 9)).prefixByteCount == 5)
    #expect(held((1, 5)).prefixByteCount == 0)
    #expect(ByteRangeSet().prefixByteCount == 0)
  }

  @Test func `the first gap is limited to the file`() throws {
    #expect(try held((0, 5), (7, 9)).firstGap(total: 20) == range(5, 7))
    #expect(try held((0, 5), (7, 9)).firstGap(total: 6) == range(5, 6))
    #expect(try held((0, 5)).firstGap(total: 9) == range(5, 9))
    #expect(held((0, 5)).firstGap(total: 5) == nil)
    #expect(held((0, 5)).firstGap(total: 3) == nil)
    #expect(try ByteRangeSet().firstGap(total: 3) == range(0, 3))
    #expect(ByteRangeSet().firstGap(total: 0) == nil)
    #expect(ByteRangeSet().firstGap(total: -1) == nil)
    #expect(try held((2, 5)).firstGap(total: 9) == range(0, 2))
  }

  @Test func `a random history of inserts agrees with a set of bytes`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      var held = ByteRangeSet()
      var bits = [Bool](repeating: false, count: 64)
      for _ in 0..<Int.random(in: 1...14, using: &random) {
        let lower = Int.random(in: 0...64, using: &random)
        let upper = Int.random(in: lower...min(64, lower + 12), using: &random)
        held.insert(try range(Int64(lower), Int64(upper)))
        for index in lower..<upper { bits[index] = true }
        try check(held, bits, seed: seed)
      }
    }
  }

  private func check(_ held: ByteRangeSet, _ bits: [Bool], seed: UInt64) throws {
    var expected = [Bool](repeating: false, count: bits.count)
    for range in held.ranges {
      for index in range.lower..<range.upper { expected[Int(index)] = true }
    }
    #expect(expected == bits, "seed \(seed)")
    for (left, right) in zip(held.ranges, held.ranges.dropFirst()) {
      #expect(left.upper < right.lower, "seed \(seed)")
    }
    #expect(held.byteCount == Int64(bits.filter { $0 }.count), "seed \(seed)")
    #expect(held.prefixByteCount == Int64(bits.prefix { $0 }.count), "seed \(seed)")
    let firstMissing = bits.firstIndex(of: false).map(Int64.init)
    #expect(held.firstGap(total: 64)?.lower == firstMissing, "seed \(seed)")
    if let gap = held.firstGap(total: 64) {
      let isAllMissing = bits[Int(gap.lower)..<Int(gap.upper)].allSatisfy { !$0 }
      #expect(isAllMissing, "seed \(seed)")
      #expect(gap.upper == 64 || bits[Int(gap.upper)], "seed \(seed)")
    }
    for lower in stride(from: 0, to: 64, by: 9) {
      let isHeld = bits[lower..<(lower + 1)].allSatisfy { $0 }
      #expect(held.contains(try range(Int64(lower), Int64(lower) + 1)) == isHeld, "seed \(seed)")
    }
  }

  @Test func `a range is contained only if it has no gaps`() throws {
    #expect(held((0, 5), (6, 9)).contains(try range(1, 5)))
    #expect(!held((0, 5), (6, 9)).contains(try range(4, 7)))
    #expect(held((0, 5)).contains(try range(8, 8)))
    #expect(!ByteRangeSet().contains(try range(0, 1)))
  }

  @Test func `a range set is encoded as a flat list of bounds`() throws {
    let data = try JSONEncoder().encode(held((0, 5), (7, 9)))
    #expect(String(decoding: data, as: UTF8.self) == "[0,5,7,9]")
    #expect(try JSONDecoder().decode(ByteRangeSet.self, from: data) == held((0, 5), (7, 9)))
    #expect(try JSONDecoder().decode(ByteRangeSet.self, from: Data("[]".utf8)).isEmpty)
  }

  @Test(arguments: [
    "[0]", "[5,5]", "[5,4]", "[-1,4]", "[0,5,5,9]", "[0,5,4,9]", "[7,9,0,5]", "[0,1.5]",
    "[0,99999999999999999999]", "[\"0\",5]", "{}", "[[0,5]]",
  ])
  func `a damaged range set is refused`(json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(ByteRangeSet.self, from: Data(json.utf8))
    }
  }
}
