import KettleModel
import Testing

@testable import KettleDashboard

/// What the dashboard says when nothing is under way any more.
struct DownloadRunTests {
  private func totals(
    _ counts: [TransferState: Int], batch count: Int? = nil, _ byteCount: Int64 = 0
  ) -> Totals {
    var totals = Totals()
    totals.counts = counts
    totals.batch = count.map {
      BatchProgress(
        transferCount: $0, finishedCount: 0, bytesReceived: 0, bytesExpected: byteCount,
        unknownSizeCount: 0, secondsLeft: nil)
    }
    return totals
  }

  private func sentence(after totals: Totals...) throws -> String {
    var view = ServiceView()
    for (second, next) in totals.enumerated() {
      let now = MonotonicTime(milliseconds: Int64(second) * 10_000)
      _ = view.receive(next, at: now)
    }
    return Strings.allDone(try #require(view.endedRun))
  }

  @Test func `a run has the files and the bytes of its batch`() throws {
    #expect(
      try sentence(
        after: totals([.completed: 5]), totals([.completed: 5, .running: 2], batch: 2, 2048),
        totals([.completed: 7]))
        == "All done: 2 files, 2.0 KiB in 0:10, on average 204 B/s")
  }

  @Test func `a collection is no file beside its own`() throws {
    #expect(
      try sentence(
        after: totals([:]), totals([.running: 2, .waiting: 1], batch: 2, 2048),
        totals([.completed: 2, .waiting: 1]), totals([.completed: 3]))
        == "All done: 2 files, 2.0 KiB in 0:20, on average 102 B/s")
    #expect(
      try sentence(
        after: totals([:]), totals([.running: 2, .waiting: 1], batch: 2),
        totals([.completed: 1, .failed: 2])) == "All done: 1 file in 0:10; 1 failed")
  }

  @Test func `a run may have several batches`() throws {
    #expect(
      try sentence(
        after: totals([:]), totals([.running: 3, .waiting: 1], batch: 3),
        totals([.completed: 3, .waiting: 1]),
        totals([.completed: 3, .running: 1, .waiting: 1], batch: 1),
        totals([.completed: 4])) == "All done: 4 files in 0:30")
  }
}
