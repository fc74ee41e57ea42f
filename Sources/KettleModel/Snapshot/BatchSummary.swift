/// The progress of all transfers that are under way, as people should read it.
package struct BatchSummary: Hashable, Sendable {
  /// What the progress is measured in. Bytes say nothing about files of unknown size, which may be
  /// most of them.
  package enum Measure: Hashable, Sendable {
    case bytes(received: Int64, expected: Int64)
    case files(done: Int, count: Int)
  }

  /// When everything is expected to be complete.
  package struct Finish: Hashable, Sendable {
    package var at: WallTime
    /// Whether it follows from an assumption.
    package var isGuess: Bool
    /// The transfers that it does not include.
    package var exceptCount: Int
  }

  package let measure: Measure
  /// nil if unknown.
  package let finish: Finish?

  package init(_ batch: BatchProgress) {
    let count = max(0, batch.transferCount)
    let done = min(max(0, batch.finishedCount), count)
    if batch.unknownSizeCount <= 0, batch.bytesExpected > 0 {
      measure = .bytes(received: max(0, batch.bytesReceived), expected: batch.bytesExpected)
    } else {
      measure = .files(done: done, count: count)
    }
    let exceptCount = max(0, batch.unpredictableCount ?? 0)
    // All that is left may be without an estimate.
    finish =
      count - done > exceptCount
      ? batch.readyAt.map {
        Finish(at: $0, isGuess: batch.readyAtIsGuess == true, exceptCount: exceptCount)
      } : nil
  }

  /// From 0 to 1.
  package var fraction: Double {
    switch measure {
    case .bytes(let received, let expected): min(1, Double(received) / Double(expected))
    case .files(let done, let count): count > 0 ? Double(done) / Double(count) : 0
    }
  }
}
