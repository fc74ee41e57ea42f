import KettleEngine
import KettleSystem
import Testing

@testable import KettleFiles

struct HugePagesTests {
  /// What is to be done later, done when the test says so.
  private final class Clock: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    func later(_ work: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(work) } }

    /// Answers how many were waiting.
    @discardableResult func passes() -> Int {
      let due = waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      for work in due { work() }
      return due.count
    }
  }

  private let clock = Clock()
  private let pages: HugePages

  init() {
    let clock = clock
    pages = HugePages { clock.later($0) }
  }

  /// Takes so many at once, leaves a byte in each, and gives them back.
  private func use(_ count: Int) throws -> Set<UnsafeMutableRawPointer?> {
    let taken = try (0..<count).map { _ in try #require(pages.take(for: .device)) }
    for memory in taken { memory.bytes.storeBytes(of: 7, as: UInt8.self) }
    return Set(taken.map(\.bytes.baseAddress))
  }

  @Test func `a page is whole, alone and where large ones begin`() throws {
    let taken = try (0..<6).map { _ in try #require(pages.take(for: .device)) }
    for memory in taken {
      #expect(memory.bytes.count == HugePages.byteCount)
      #expect(Int(bitPattern: memory.bytes.baseAddress) % HugePages.byteCount == 0)
      memory.bytes.initializeMemory(as: UInt8.self, repeating: 1)
    }
    #expect(Set(taken.map(\.bytes.baseAddress)).count == 6)
  }

  @Test(.enabled(if: HugePages.pastCache != nil))
  func `bytes that are copied past the cache are all there, wherever they begin`() throws {
    let memory = try #require(pages.take(for: .device)?.split(byteCount: 1100).first)
    let copying = try #require(memory.copying)
    let source = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
    for place in stride(from: 0, to: 70, by: 3) {
      for byteCount in [0, 1, 15, 63, 64, 65, 127, 128, 200, 900] {
        memory.bytes.initializeMemory(as: UInt8.self, repeating: 0)
        source.withUnsafeBytes {
          copying.copy(
            memory.bytes.baseAddress?.advanced(by: place), $0.baseAddress?.advanced(by: 3),
            byteCount)
        }
        copying.publish()
        let expected =
          [UInt8](repeating: 0, count: place) + source[3..<(3 + byteCount)]
          + [UInt8](repeating: 0, count: 1100 - place - byteCount)
        #expect(
          memory.bytes.elementsEqual(expected), "\(byteCount) bytes at \(place)")
      }
    }
  }

  @Test func `what a processor reads again is copied as usual`() throws {
    #expect(try #require(pages.take(for: .processor)).copying == nil)
  }

  @Test func `pages of a transfer that is over serve the next one`() throws {
    let first = try use(3)
    #expect(try use(3) == first)
  }

  @Test func `of more pages than one transfer needs the rest is given back at once`() throws {
    _ = try use(7)
    let again = try (0..<7).map { _ in try #require(pages.take(for: .device)) }
    // Fresh memory is zero (mmap(2), MAP_ANONYMOUS).
    let kept = again.filter { $0.bytes.load(as: UInt8.self) == 7 }
    #expect(kept.count == HugePages.keptCountMax)
  }

  @Test func `pages that nobody takes are given back, and nothing is watched then`() throws {
    _ = try use(2)
    // They were left while they were watched.
    #expect(clock.passes() == 1)
    #expect(clock.passes() == 1)
    #expect(clock.passes() == 0)
    let fresh = try #require(pages.take(for: .device))
    #expect(fresh.bytes.load(as: UInt8.self) == 0)
  }

  @Test func `pages that are used now and then are kept`() throws {
    let first = try use(1)
    for _ in 0..<5 {
      #expect(try use(1) == first)
      #expect(clock.passes() == 1)
    }
    let memory = try #require(pages.take(for: .device))
    #expect(memory.bytes.load(as: UInt8.self) == 7)
  }
}
