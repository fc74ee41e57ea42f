import KettleModel
import KettleSystem
import Testing

@testable import KettleEngine

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

  @Test func `bytes come into it, and into its parts, in its own way`() {
    let whole = BlockMemory(
      .allocate(byteCount: 100, alignment: 16),
      copying: BlockCopying(
        copy: { place, source, byteCount in
          guard let place, let source else { return }
          for index in 0..<byteCount {
            let byte = source.load(fromByteOffset: index, as: UInt8.self)
            place.storeBytes(of: ~byte, toByteOffset: index, as: UInt8.self)
          }
        }, publish: {}, collect: {}), release: { $0.deallocate() })
    let part = whole.split(byteCount: 50)[1]
    let block = GatheredBlock(
      of: AttemptID(rawValue: 1), from: 4096, blockByteCount: 4096, in: part)
    let room = GrantedRoom(from: 4096)
    let asked = [UInt8](repeating: 1, count: 10).withUnsafeBytes { block.put($0, at: 4096) }
    room.go(on: block, from: 4106)
    room.grant(upTo: 4140)
    let unasked = [UInt8](repeating: 2, count: 20).withUnsafeBytes { room.take($0) }
    #expect(asked == 10 && unasked)
    #expect(Array(part.bytes.prefix(10)) == [UInt8](repeating: ~1, count: 10))
    #expect(Array(part.bytes[10..<30]) == [UInt8](repeating: ~2, count: 20))
  }

  @Test func `the whole goes with its last part, and once`() {
    var parts = memory(byteCount: 100).split(byteCount: 50)
    parts.removeLast()
    #expect(releases.value == 0)
    parts.removeLast()
    #expect(releases.value == 1)
  }
}
