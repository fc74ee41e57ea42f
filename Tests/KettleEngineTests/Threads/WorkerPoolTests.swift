import Dispatch
import KettleSystem
import Testing

@testable import KettleEngine

@Suite(.timeLimit(.minutes(5)))
struct WorkerPoolTests {
  /// The events, in order.
  private final class Log: Sendable {
    private let entries = Mutex<[String]>([])

    var all: [String] { entries.withLock { $0 } }
    func note(_ entry: String) { entries.withLock { $0.append(entry) } }
  }

  private func done(_ lanes: WorkerPool) async {
    await withCheckedContinuation { done in lanes.asyncAlone { done.resume() } }
  }

  @Test func `a single lane runs work in submission order`() async {
    let lanes = WorkerPool("test", width: 1)
    let log = Log()
    for number in 0..<600 { lanes.async { log.note("\(number)") } }
    await done(lanes)
    #expect(log.all.elementsEqual((0..<600).map { "\($0)" }))
  }

  @Test func `the pool runs exactly as many items at once as it has lanes`() async {
    let lanes = WorkerPool("test", width: 3)
    let (begun, told) = AsyncStream<Void>.makeStream()
    let gate = DispatchSemaphore(value: 0)
    let under = Mutex((now: 0, most: 0))
    for _ in 0..<9 {
      lanes.async {
        under.withLock {
          $0.now += 1
          $0.most = max($0.most, $0.now)
        }
        told.yield()
        gate.wait()
        under.withLock { $0.now -= 1 }
      }
    }
    // Three occupy their lanes; otherwise the next would never begin.
    var starts = begun.makeAsyncIterator()
    for _ in 0..<3 { await starts.next() }
    for _ in 0..<9 { gate.signal() }
    await done(lanes)
    #expect(under.withLock { $0.most } == 3)
  }

  @Test func `exclusive work waits for earlier work and blocks later work`() async {
    let lanes = WorkerPool("test", width: 4)
    let log = Log()
    let gate = DispatchSemaphore(value: 0)
    lanes.async {
      gate.wait()
      log.note("before")
    }
    lanes.asyncAlone { log.note("alone") }
    for _ in 0..<3 { lanes.async { log.note("after") } }
    #expect(log.all.isEmpty)
    gate.signal()
    await done(lanes)
    #expect(log.all == ["before", "alone", "after", "after", "after"])
  }

  @Test func `tasks and their child tasks run on the pool`() async {
    let lanes = WorkerPool("test", width: 2)
    let sum = await withTaskExecutorPreference(lanes) {
      await withTaskGroup(of: Int.self) { group in
        for number in 1...100 {
          group.addTask {
            await Task.yield()
            return number
          }
        }
        return await group.reduce(0, +)
      }
    }
    #expect(sum == 5050)
  }

  @Test func `a cancelled pause throws a cancellation error`() async {
    let sleeper = Task { try await WorkerPool.pause(for: .seconds(3600)) }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }

  @Test func `a pause returns after its duration`() async throws {
    let start = ContinuousClock.now
    try await WorkerPool.pause(for: .milliseconds(20))
    #expect(ContinuousClock.now - start >= .milliseconds(20))
  }
}
