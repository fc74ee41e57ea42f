import Testing

@testable import KettleDaemon

struct RowWalkTests {
  /// Returns the indices in search order; after a wrap they are negative.
  private func walk(
    _ count: Int, from start: Int, backwards: Bool = false, here: Bool = false, by size: Int = 2
  ) -> [Int] {
    RowWalk(count: count, start: start, isBackwards: backwards, includesStart: here)
      .steps(of: size).flatMap { step in
        (backwards ? step.indices.reversed() : Array(step.indices)).map {
          step.hasWrapped ? -$0 : $0
        }
      }
  }

  @Test func `a walk visits the list once`() {
    #expect(walk(5, from: 1) == [2, 3, 4, 0, -1])
    #expect(walk(5, from: 1, here: true) == [1, 2, 3, 4, 0])
    #expect(walk(5, from: 3, backwards: true) == [2, 1, 0, -4, -3])
    #expect(walk(5, from: 3, backwards: true, here: true) == [3, 2, 1, 0, -4])
  }

  @Test func `a start outside the list becomes the nearest row`() {
    #expect(walk(3, from: 9) == [0, -1, -2])
    #expect(walk(3, from: -9) == [1, 2, 0])
    #expect(walk(0, from: 0).isEmpty)
    #expect(walk(1, from: 0, here: true) == [0])
  }
}
