/// The path of a search through a list: from its start to the end, then around to the start.
struct RowWalk: Sendable {
  struct Step: Sendable, Hashable {
    var indices: Range<Int>
    /// Whether the search has wrapped around.
    var hasWrapped: Bool
  }

  private let before: Range<Int>
  private let after: Range<Int>
  private let isBackwards: Bool

  /// - Parameter includesStart: whether the start itself can be found, as the first row or the
  ///   last.
  init(count: Int, start: Int, isBackwards: Bool, includesStart: Bool) {
    let start = min(max(start, 0), max(count - 1, 0))
    self.isBackwards = isBackwards
    let cut = min(isBackwards == includesStart ? start + 1 : start, count)
    before = 0..<cut
    after = cut..<count
  }

  /// Returns ranges of rows in search order.
  func steps(of size: Int) -> some Sequence<Step> {
    let parts = isBackwards ? [before, after] : [after, before]
    return parts.enumerated().lazy.flatMap { turn, part in
      Self.pieces(of: part, size, isBackwards: isBackwards).map {
        Step(indices: $0, hasWrapped: turn == 1)
      }
    }
  }

  private static func pieces(
    of part: Range<Int>, _ size: Int, isBackwards: Bool
  ) -> [Range<Int>] {
    let forward = stride(from: part.lowerBound, to: part.upperBound, by: size).map {
      $0..<min($0 + size, part.upperBound)
    }
    return isBackwards ? forward.reversed() : forward
  }
}
