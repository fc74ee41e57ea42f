import Synchronization
import Testing

@testable import TransferEngine

/// Memory of blocks, whole and in parts.
struct BlockMemoryTests {
  private final class Releases: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }
    func increase() { count.withLock { $0 += 1 } }
  }

  private let releases = Releases()

  private func memory(byteCount: Int) -> BlockMemory {
    BlockMemory(.allocate(byteCount: byteCount, alignment: 16)) { [releases] in
      releases.increase()
      $0.deallocate()
    }
  }

  @Test func `parts lie side by side, and a rest is left out`() {
    let whole = memory(byteCount: 100)
    let parts = whole.split(byteCount: 30)
    #expect(parts.allSatisfy { $0.bytes.count == 30 })
    let start = UInt(bitPattern: whole.bytes.baseAddress)
    let starts = parts.map { UInt(bitPattern: $0.bytes.baseAddress) - start }
    #expect(starts == [0, 30, 60])
    #expect(whole.split(byteCount: 200).first === whole)
  }

  @Test func `the whole goes with its last part, and once`() {
    var parts = memory(byteCount: 100).split(byteCount: 50)
    parts.removeLast()
    #expect(releases.value == 0)
    parts.removeLast()
    #expect(releases.value == 1)
  }
}
