import Dispatch
import KettleSystem
import Testing

@testable import KettleEngine

struct LingeringQueueTests {
  private final class Log: Sendable {
    private let entries = Mutex<[Int]>([])
    var all: [Int] { entries.withLock { $0 } }
    func note(_ entry: Int) { entries.withLock { $0.append(entry) } }
  }

  private func wait(for queue: LingeringQueue) {
    let isDone = DispatchSemaphore(value: 0)
    queue.async { isDone.signal() }
    isDone.wait()
  }

  @Test func `work is done one after the other, in its order`() {
    let queue = LingeringQueue("test.order")
    let log = Log()
    for number in 0..<1000 { queue.async { log.note(number) } }
    wait(for: queue)
    #expect(log.all == Array(0..<1000))
  }

  @Test func `work that is asked for by work comes after what waits`() {
    let queue = LingeringQueue("test.nested")
    let log = Log()
    let isAsked = DispatchSemaphore(value: 0)
    queue.async {
      queue.async { log.note(2) }
      log.note(1)
      isAsked.signal()
    }
    isAsked.wait()
    wait(for: queue)
    #expect(log.all == [1, 2])
  }

  /// With no time to linger it goes and comes back between any two.
  @Test(arguments: [DispatchTimeInterval.milliseconds(500), .milliseconds(1), .nanoseconds(0)])
  func `nothing is left undone, however soon its thread goes`(lingering: DispatchTimeInterval) {
    let queue = LingeringQueue("test.leaving", lingering: lingering)
    let log = Log()
    for number in 0..<2000 {
      queue.async { log.note(number) }
      if number.isMultiple(of: 3) { wait(for: queue) }
    }
    wait(for: queue)
    #expect(log.all == Array(0..<2000))
  }

  @Test func `it lets go of its work when it is done`() {
    let queue = LingeringQueue("test.letting-go", lingering: .milliseconds(500))
    weak var seen: Log?
    do {
      let log = Log()
      seen = log
      queue.async { log.note(1) }
      wait(for: queue)
    }
    wait(for: queue)
    #expect(seen == nil)
  }
}
