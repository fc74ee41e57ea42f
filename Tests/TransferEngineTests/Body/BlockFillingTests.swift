import Testing
import TransferModel

@testable import TransferEngine

/// What may be filled into a block without asking.
struct BlockFillingTests {
  private let filling = BlockFilling()

  private func take(_ byteCount: Int) -> Bool {
    [UInt8](repeating: 7, count: byteCount).withUnsafeBytes { filling.take($0) }
  }

  private func putBlock() {
    filling.block = GatheredBlock(
      of: AttemptID(rawValue: 1), from: 0, blockByteCount: 4096,
      in: .ordinary(byteCount: 4096, alignment: 4096))
  }

  @Test func `nothing is taken without a grant`() {
    putBlock()
    #expect(!take(1))
    #expect(filling.settle() == 0)
  }

  @Test func `what would use up the grant is left to the body`() {
    putBlock()
    filling.grant(100)
    #expect(take(60))
    #expect(!take(40))
    #expect(take(39))
    #expect(!take(1))
    #expect(filling.block?.byteCount == 99)
    #expect(filling.settle() == 99)
  }

  @Test func `a grant that was settled is over, and its bytes count once`() {
    putBlock()
    filling.grant(100)
    #expect(take(10))
    #expect(filling.settle() == 10)
    #expect(!take(10))
    #expect(filling.settle() == 0)
  }

  @Test func `a block that was taken away is filled no more`() {
    putBlock()
    filling.grant(100)
    filling.block = nil
    #expect(!take(10))
  }
}
