import Dispatch
import KettleModel
import Testing

@testable import KettleEngine

/// What may be filled into a block without asking.
struct GrantedRoomTests {
  private let room = GrantedRoom(from: 5000)
  private let block = GatheredBlock(
    of: AttemptID(rawValue: 1), from: 5000, blockByteCount: 1 << 20,
    in: .ordinary(byteCount: 1 << 20, alignment: 4096))

  private func take(_ byteCount: Int, of value: UInt8 = 7) -> Bool {
    [UInt8](repeating: value, count: byteCount).withUnsafeBytes { room.take($0) }
  }

  private func bytes(_ lower: Int64, _ upper: Int64) -> [UInt8] {
    ByteRange(lower: lower, upper: upper).map { Array(block.bytes($0)) } ?? []
  }

  @Test func `nothing is taken without a grant`() {
    #expect(!take(1))
    room.go(on: block, from: 5000)
    #expect(!take(1))
    #expect(room.filledUpTo == 5000)
  }

  @Test func `what would use up the grant is left to the body`() {
    room.go(on: block, from: 5000)
    room.grant(upTo: 5100)
    #expect(take(60, of: 1))
    #expect(!take(40, of: 2))
    #expect(take(39, of: 3))
    #expect(!take(1, of: 4))
    #expect(room.filledUpTo == 5099)
    #expect(
      bytes(5000, 5099) == [UInt8](repeating: 1, count: 60) + [UInt8](repeating: 3, count: 39))
  }

  @Test func `a grant that was settled is over`() {
    room.go(on: block, from: 5000)
    room.grant(upTo: 6000)
    #expect(take(10))
    #expect(room.settle() == 5010)
    #expect(!take(10))
    room.grant(upTo: 6000)
    #expect(take(10))
    #expect(room.settle() == 5020)
  }

  @Test func `a block that was taken away is filled no more`() {
    room.go(on: block, from: 5000)
    room.grant(upTo: 6000)
    #expect(take(10))
    room.go(on: nil, from: 5010)
    #expect(!take(10))
    room.grant(upTo: 6000)
    #expect(!take(10))
    #expect(room.filledUpTo == 5010)
  }

  @Test func `who reads meanwhile finds whole pieces below what it is told`() throws {
    room.go(on: block, from: 5000)
    room.grant(upTo: block.upper)
    let done = DispatchGroup()
    // A queue of its own has a thread even where the test has the only processor.
    DispatchQueue(label: "test.fills").async(group: done) {
      for value in 0..<200 { _ = take(1000, of: UInt8(value)) }
    }
    var seen: Int64 = 5000
    while done.wait(timeout: .now()) == .timedOut { seen = try checkPieces(from: seen) }
    #expect(try checkPieces(from: seen) == 205_000)
  }

  /// Pieces of 1,000 bytes, of which each has the number of its place. Answers how far they go.
  private func checkPieces(from seen: Int64) throws -> Int64 {
    let upTo = room.filledUpTo
    for lower in stride(from: seen, to: upTo, by: 1000) {
      let piece = bytes(lower, lower + 1000)
      let isWhole = piece.allSatisfy { $0 == UInt8((lower - 5000) / 1000) }
      #expect(isWhole && piece.count == 1000)
    }
    return upTo
  }
}
