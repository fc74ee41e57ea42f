import KettleSystem
import Testing

@testable import KettleModel

struct SortedBlocksTests {
  private func ids(_ numbers: some Sequence<Int64>) -> [TransferID] {
    numbers.map { TransferID(rawValue: $0) }
  }

  @Test func `any order of insertions and removals gives a sorted set`() {
    let seed = UInt64.random(in: .min ... .max)
    print("sorted blocks seed \(seed)")
    var state = seed
    func next(_ bound: UInt64) -> Int64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int64((state >> 33) % bound)
    }
    var ordered = SortedBlocks<TransferID>()
    var model: Set<Int64> = []
    for step in 0..<30_000 {
      let number = next(9000)
      // The first half inserts more than it removes, so that blocks split; the second half less.
      if next(10) < (step < 15_000 ? 7 : 3) {
        if model.insert(number).inserted { ordered.insert(TransferID(rawValue: number)) }
      } else {
        model.remove(number)
        ordered.remove(TransferID(rawValue: number))
      }
      guard step % 1000 == 999 else { continue }
      let sorted = ids(model.sorted())
      #expect(ordered.all.elementsEqual(sorted), "seed \(seed)")
      #expect(ordered.count == sorted.count)
      #expect(ordered.first == sorted.first && ordered.last == sorted.last)
      let probe = TransferID(rawValue: next(9000))
      #expect(ordered.index(of: probe) == sorted.firstIndex(of: probe))
      #expect(ordered.element(before: probe) == sorted.last { $0 < probe })
      #expect(ordered.element(after: probe) == sorted.first { $0 > probe })
      let first = Int(next(10_000))
      #expect(
        ordered.window(first: first, count: 70) == Array(sorted.dropFirst(first).prefix(70)))
    }
  }

  @Test func `a window outside the list is empty, and negative bounds are clamped`() {
    var ordered = SortedBlocks<TransferID>()
    #expect(ordered.window(first: 0, count: 5).isEmpty)
    for number: Int64 in 1...3 { ordered.insert(TransferID(rawValue: number)) }
    #expect(ordered.window(first: 3, count: 5).isEmpty)
    #expect(ordered.window(first: -4, count: 2) == ids([1, 2]))
    #expect(ordered.window(first: 0, count: 0).isEmpty)
    #expect(ordered.window(first: 0, count: -1).isEmpty)
    #expect(ordered.window(first: 1, count: .max) == ids([2, 3]))
  }

  /// A number that counts its comparisons.
  private struct Counted: Comparable, Sendable {
    final class Counter: Sendable {
      let comparisons = Mutex(0)
    }

    var number: Int
    let counter: Counter

    static func == (left: Counted, right: Counted) -> Bool { left.number == right.number }

    static func < (left: Counted, right: Counted) -> Bool {
      left.counter.comparisons.withLock { $0 += 1 }
      return left.number < right.number
    }
  }

  // Fault 102
  @Test func `changes and searches among 100,000 elements need few comparisons`() {
    let count = 100_000
    let counter = Counted.Counter()
    var blocks = SortedBlocks(
      sorted: (0..<count).map { Counted(number: $0 * 2, counter: counter) })
    func comparisons(_ body: () -> Void) -> Int {
      counter.comparisons.withLock { $0 = 0 }
      body()
      return counter.comparisons.withLock { $0 }
    }
    // Two binary searches over the blocks and within one of them.
    let most = 2 * 18 + 4
    for number in stride(from: 1, to: count * 2, by: 4999) {
      let one = Counted(number: number, counter: counter)
      #expect(comparisons { blocks.insert(one) } <= most)
      #expect(comparisons { _ = blocks.index(of: one) } <= most)
      #expect(comparisons { _ = blocks.element(before: one) } <= most)
      #expect(comparisons { blocks.remove(one) } <= most)
    }
    #expect(blocks.count == count)
  }

  // Fault 102
  @Test func `200,000 elements are inserted and removed one by one quickly`() {
    let count: Int64 = 200_000
    let clock = ContinuousClock()
    var ordered = SortedBlocks<TransferID>()
    // With a flat list the removals alone would move 160 GB.
    let time = clock.measure {
      for number in 1...count { ordered.insert(TransferID(rawValue: number)) }
      for number in 1...count { ordered.remove(TransferID(rawValue: number)) }
    }
    #expect(ordered.count == 0)
    #expect(time < .seconds(15), "\(time)")
  }
}
