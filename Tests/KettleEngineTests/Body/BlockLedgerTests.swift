import KettleModel
import SeededNumbers
import TestSupport
import Testing

@testable import KettleEngine

/// Digests that are computed while a file is written.
struct BlockLedgerTests {
  private let files = InMemoryFileStorage(documentsDirectory: "/d")
  private let file: any PartialFile
  private static let block = Int(BlockDigests.blockByteCount)

  init() throws {
    file = try files.createPartialFile(in: "/d", preferredName: "a", onConflict: .rename)
  }

  private func ledger(known: ByteRangeSet = ByteRangeSet()) -> BlockLedger {
    BlockLedger(known: known) { FakeBlockDigest() }
  }

  private static func content(_ count: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: 17)
    var content = [UInt8](repeating: 7, count: count)
    for index in stride(from: 0, to: count, by: 997) {
      content[index] = UInt8(truncatingIfNeeded: generator.next())
    }
    return content
  }

  /// Writes bytes and adds them to the ledger, as the writer does.
  private func write(
    _ range: Range<Int>, of content: [UInt8], by attempt: UInt64, to ledger: inout BlockLedger
  ) throws {
    guard let place = ByteRange(lower: Int64(range.lowerBound), upper: Int64(range.upperBound))
    else { return }
    let bytes = Array(content[range])
    try bytes.withUnsafeBytes { try file.write($0, at: place.lower) }
    bytes.withUnsafeBytes { ledger.add($0, at: place, by: AttemptID(rawValue: attempt)) }
  }

  @Test func `one attempt in order needs no byte of the file again`() throws {
    let content = Self.content(2 * Self.block + 1000)
    var ledger = ledger()
    for start in stride(from: 0, to: content.count, by: 300_000) {
      try write(start..<min(start + 300_000, content.count), of: content, by: 1, to: &ledger)
    }
    let digests = ledger.settle(
      ByteRangeSet(prefix: Int64(content.count)), in: file)
    #expect(digests == FakeBlockDigest.digests(of: content))
    #expect(files.callCount(.read) == 0)
    #expect(
      ledger.settle(ByteRangeSet(prefix: Int64(content.count)), in: file).isEmpty)
  }

  @Test func `a block that is still arriving has the digest of its part`() throws {
    let content = Self.content(Self.block)
    var ledger = ledger()
    try write(0..<1000, of: content, by: 1, to: &ledger)
    let part = ledger.settle(ByteRangeSet(prefix: 1000), in: file)
    #expect(part == FakeBlockDigest.digests(of: Array(content[..<1000])))
    try write(1000..<content.count, of: content, by: 1, to: &ledger)
    let whole = ledger.settle(ByteRangeSet(prefix: Int64(Self.block)), in: file)
    #expect(whole == FakeBlockDigest.digests(of: content))
    #expect(files.callCount(.read) == 0)
  }

  @Test func `a block that two attempts share is read from the file`() throws {
    let content = Self.content(Self.block)
    var ledger = ledger()
    try write(0..<5000, of: content, by: 1, to: &ledger)
    try write(5000..<content.count, of: content, by: 2, to: &ledger)
    let digests = ledger.settle(ByteRangeSet(prefix: Int64(Self.block)), in: file)
    #expect(digests == FakeBlockDigest.digests(of: content))
    #expect(files.callCount(.read) == 1)
  }

  @Test func `bytes that did not count leave no digest behind`() throws {
    let content = Self.content(Self.block)
    var ledger = ledger()
    try write(0..<Self.block, of: [UInt8](repeating: 0, count: Self.block), by: 1, to: &ledger)
    ledger.end(AttemptID(rawValue: 1))
    #expect(ledger.settle(ByteRangeSet(), in: file).isEmpty)
    // Another attempt begins in the middle of the block, and a third one before it.
    try write(7000..<Self.block, of: content, by: 2, to: &ledger)
    try write(0..<7000, of: content, by: 3, to: &ledger)
    let digests = ledger.settle(ByteRangeSet(prefix: Int64(Self.block)), in: file)
    #expect(digests == FakeBlockDigest.digests(of: content))
  }

  @Test func `what is recorded already is neither read nor returned`() throws {
    let content = Self.content(2 * Self.block)
    var ledger = ledger(known: ByteRangeSet(prefix: Int64(Self.block)))
    try write(Self.block..<content.count, of: content, by: 1, to: &ledger)
    let digests = ledger.settle(
      ByteRangeSet(prefix: Int64(content.count)), in: file)
    #expect(digests == Array(FakeBlockDigest.digests(of: content).suffix(1)))
    #expect(files.callCount(.read) == 0)
  }

  @Test(arguments: UInt64(1)...8)
  func `any number of attempts in any order yield the digests of the file`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let content = Self.content(3 * Self.block + 12345)
    var ledger = ledger()
    var written = ByteRangeSet()
    var digests = BlockDigests()
    var cursors = (0..<4).map { Int($0) * content.count / 4 }
    let ends = (1...4).map { $0 * content.count / 4 }
    while let index = (0..<4).filter({ cursors[$0] < ends[$0] }).randomElement(using: &generator) {
      let end = min(cursors[index] + Int.random(in: 1...400_000, using: &generator), ends[index])
      try write(cursors[index]..<end, of: content, by: UInt64(index), to: &ledger)
      if let range = ByteRange(lower: Int64(cursors[index]), upper: Int64(end)) {
        written.insert(range)
      }
      cursors[index] = end
      if Bool.random(using: &generator) {
        for entry in ledger.settle(written, in: file) { digests.insert(entry) }
        #expect(digests.bytes == written)
      }
    }
    for entry in ledger.settle(written, in: file) { digests.insert(entry) }
    #expect(digests.entries == FakeBlockDigest.digests(of: content))
  }
}
