import KettleModel
import KettleScheduler
import Testing

struct CheckpointPaceTests {
  private let limits = CheckpointPace.Limits()
  private let start = MonotonicTime(milliseconds: 10_000)

  private func begins(
    _ pace: inout CheckpointPace, at milliseconds: Int64, receivedByteCount: Int64
  ) -> Bool {
    pace.begin(
      receivedByteCount: receivedByteCount, limits, at: start.advanced(byMilliseconds: milliseconds)
    )
  }

  @Test func `8 MiB are recorded after 750 ms, and fewer bytes after five seconds`() {
    var fast = CheckpointPace(since: start)
    #expect(!begins(&fast, at: 749, receivedByteCount: 100 << 20))
    #expect(begins(&fast, at: 750, receivedByteCount: 100 << 20))
    var slow = CheckpointPace(since: start)
    #expect(!begins(&slow, at: 4999, receivedByteCount: (8 << 20) - 1))
    #expect(begins(&slow, at: 5000, receivedByteCount: 1))
  }

  @Test func `only new bytes and the time since the last checkpoint count`() {
    var pace = CheckpointPace(since: start)
    #expect(begins(&pace, at: 1000, receivedByteCount: 20 << 20))
    pace.end()
    #expect(!begins(&pace, at: 9000, receivedByteCount: 20 << 20), "nothing is new")
    #expect(begins(&pace, at: 9001, receivedByteCount: 28 << 20))
    pace.end()
    #expect(!begins(&pace, at: 9700, receivedByteCount: 60 << 20))
    #expect(begins(&pace, at: 9751, receivedByteCount: 60 << 20))
  }

  @Test func `only one checkpoint is in progress at a time`() {
    var pace = CheckpointPace(since: start)
    #expect(begins(&pace, at: 1000, receivedByteCount: 20 << 20))
    #expect(!begins(&pace, at: 60_000, receivedByteCount: 90 << 20))
    pace.recorded()
    #expect(!begins(&pace, at: 60_000, receivedByteCount: 90 << 20), "an earlier record")
    pace.submit()
    #expect(!begins(&pace, at: 60_000, receivedByteCount: 90 << 20))
    pace.recorded()
    #expect(begins(&pace, at: 60_000, receivedByteCount: 90 << 20))
  }

  @Test func `a checkpoint with nothing to record ends at once`() {
    var pace = CheckpointPace(since: start)
    #expect(begins(&pace, at: 1000, receivedByteCount: 20 << 20))
    pace.end()
    #expect(begins(&pace, at: 2000, receivedByteCount: 90 << 20))
  }
}
