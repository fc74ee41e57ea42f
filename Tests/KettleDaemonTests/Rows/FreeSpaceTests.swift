import KettleModel
import KettleSystem
import Testing

@testable import KettleDaemon

struct FreeSpaceTests {
  @Test func `the disk is queried at most once a second`() {
    let time = Mutex(Int64(5000))
    let askedCount = Mutex(Int64(0))
    let space = FreeSpace(now: { MonotonicTime(milliseconds: time.withLock { $0 }) }) {
      askedCount.withLock {
        $0 += 1
        return $0
      }
    }
    #expect((0..<100).map { _ in space.bytes } == Array(repeating: 1, count: 100))
    time.withLock { $0 += 999 }
    #expect(space.bytes == 1)
    time.withLock { $0 += 1 }
    #expect(space.bytes == 2)
    #expect(askedCount.withLock { $0 } == 2)
  }

  @Test func `an unknown result is cached too`() {
    let askedCount = Mutex(0)
    let space = FreeSpace(now: { MonotonicTime(milliseconds: 0) }) {
      askedCount.withLock { $0 += 1 }
      return nil
    }
    #expect(space.bytes == nil && space.bytes == nil)
    #expect(askedCount.withLock { $0 } == 1)
  }
}
