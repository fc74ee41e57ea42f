import Testing

@testable import KettleModel

struct BlockDigestsTests {
  private static let block = BlockDigests.blockByteCount

  private func entry(_ lower: Int64, _ upper: Int64, _ number: UInt64 = 1) throws -> DigestedBytes {
    let range = try #require(ByteRange(lower: lower, upper: upper))
    return try #require(DigestedBytes(range, BlockDigest(high: number, low: 0)))
  }

  @Test func `a digest is of bytes of one block`() throws {
    let across = try #require(ByteRange(lower: Self.block - 1, upper: Self.block + 1))
    #expect(DigestedBytes(across, BlockDigest(high: 0, low: 0)) == nil)
    #expect(DigestedBytes(.nothing, BlockDigest(high: 0, low: 0)) == nil)
    _ = try entry(0, Self.block)
  }

  @Test func `a range is divided at the boundaries of blocks`() throws {
    let range = try #require(ByteRange(lower: 5, upper: 2 * Self.block + 7))
    #expect(
      BlockDigests.parts(of: range).map(\.lower) == [5, Self.block, 2 * Self.block])
    #expect(
      BlockDigests.parts(of: range).map(\.upper)
        == [Self.block, 2 * Self.block, 2 * Self.block + 7])
    #expect(BlockDigests.parts(of: .nothing).isEmpty)
  }

  @Test func `a digest takes the place of those of the same bytes`() throws {
    var digests = BlockDigests()
    try digests.insert(entry(Self.block, Self.block + 10))
    try digests.insert(entry(0, 10))
    try digests.insert(entry(20, 30))
    try digests.insert(entry(10, 20))
    #expect(digests.entries.map(\.range.lower) == [0, 10, 20, Self.block])
    try digests.insert(entry(0, Self.block, 2))
    #expect(
      digests.entries == [try entry(0, Self.block, 2), try entry(Self.block, Self.block + 10)])
    try digests.insert(entry(5, 15, 3))
    #expect(digests.entries == [try entry(5, 15, 3), try entry(Self.block, Self.block + 10)])
  }

  @Test func `only those count whose bytes are all there`() throws {
    let digests = BlockDigests([
      try entry(0, Self.block), try entry(Self.block, 2 * Self.block),
      try entry(2 * Self.block, 2 * Self.block + 10),
    ])
    var bytes = ByteRangeSet(prefix: Self.block + 5)
    #expect(digests.entries(within: bytes) == [try entry(0, Self.block)])
    bytes.insert(try #require(ByteRange(lower: 2 * Self.block, upper: 3 * Self.block)))
    #expect(digests.entries(within: bytes).map(\.range.lower) == [0, 2 * Self.block])
    #expect(digests.bytes == ByteRangeSet(prefix: 2 * Self.block + 10))
  }

  @Test func `removed bytes leave the rest of their ranges`() throws {
    var set = ByteRangeSet(prefix: 100)
    set.remove(try #require(ByteRange(lower: 10, upper: 20)))
    set.remove(try #require(ByteRange(lower: 90, upper: 200)))
    set.remove(.nothing)
    #expect(set.ranges.map(\.lower) == [0, 20] && set.ranges.map(\.upper) == [10, 90])
    set.remove(try #require(ByteRange(lower: 0, upper: 100)))
    #expect(set.isEmpty)
  }

  @Test func `a comparison is told in one line`() throws {
    var damaged = ByteRangeSet()
    for block in [1, 3, 5, 7] as [Int64] {
      damaged.insert(
        try #require(ByteRange(lower: block * Self.block, upper: (block + 1) * Self.block)))
    }
    let now = WallTime(millisecondsSince1970: 0)
    #expect(
      FileCheckWords.text(FileCheck(.damaged, at: now, damaged: damaged))
        == "damaged: 4.0 MiB, at 1.0 MiB, 3.0 MiB, 5.0 MiB and 1 more place")
    #expect(FileCheckWords.text(FileCheck(.intact, at: now), size: 1 << 20) == "intact, 1.0 MiB")
  }

  @Test(
    arguments: [
      (0, 0, nil), (0, 1, nil), (0, 2 << 20, 0...2), (1, 2 << 20, 1...2),
      (1 << 20, (3 << 20) - 1, 1...2),
      (5, (1 << 20) + 5, nil), ((1 << 20) - 1, (2 << 20) + 1, 1...2),
    ] as [(Int64, Int64, ClosedRange<Int64>?)])
  func `the whole blocks of a range`(
    lower: Int64, upper: Int64, blocks: ClosedRange<Int64>?
  ) throws {
    let range = try #require(ByteRange(lower: lower, upper: upper))
    let expected = blocks.flatMap {
      ByteRange(lower: $0.lowerBound << 20, upper: $0.upperBound << 20)
    }
    #expect(BlockDigests.wholeBlocks(in: range) == expected)
    let last = try #require(ByteRange(lower: .max - 1, upper: .max))
    #expect(BlockDigests.wholeBlocks(in: last) == nil)
  }

  @Test func `many places of damage are joined to few`() throws {
    var set = ByteRangeSet()
    for (lower, upper) in [(0, 1), (2, 3), (10, 11), (13, 14), (100, 101)] as [(Int64, Int64)] {
      set.insert(try #require(ByteRange(lower: lower, upper: upper)))
    }
    #expect(set.joined(toAtMost: 5) == set)
    #expect(
      set.joined(toAtMost: 3).ranges.map { [$0.lower, $0.upper] } == [
        [0, 3], [10, 14], [100, 101],
      ])
    #expect(set.joined(toAtMost: 0).ranges.map { [$0.lower, $0.upper] } == [[0, 101]])
    var scattered = ByteRangeSet()
    for block in Int64(0)..<100_000 {
      scattered.append(try #require(ByteRange(lower: block << 21, upper: block << 21 | 1 << 20)))
    }
    let check = FileCheck(.damaged, at: WallTime(millisecondsSince1970: 0), damaged: scattered)
    #expect(check.damaged?.ranges.count == 256)
    #expect(check.damaged?.upperBound == scattered.upperBound)
  }
}
