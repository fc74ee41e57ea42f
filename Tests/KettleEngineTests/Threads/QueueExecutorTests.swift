import Dispatch
import Synchronization
import Testing

@testable import KettleEngine

@Suite(.timeLimit(.minutes(1)))
struct QueueExecutorTests {
  private actor Room {
    private let executor = QueueExecutor("test")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Whether others come in while a function of its own is called.
    func isLeft() async -> Bool {
      let others = Atomic(false)
      executor.queue.async { others.store(true, ordering: .relaxed) }
      await nothing()
      await withCheckedContinuation { $0.resume() }
      return others.load(ordering: .relaxed)
    }

    private func nothing() async {}
  }

  @Test func `a task of the service stays from one function to the next`() async {
    let room = Room()
    let isLeft = await Task(executorPreference: WorkerPool.tasks) { await room.isLeft() }.value
    #expect(!isLeft)
  }

  @Test func `what is finished before anybody waits is known`() async {
    let completion = Completion<Int>()
    completion.finish(1)
    completion.finish(2)
    #expect(await completion.value() == 1)
  }

  @Test func `all who wait are told`() async {
    let completion = Completion<Int>()
    async let first = completion.value()
    async let second = completion.value()
    completion.finish(3)
    let values = await [first, second]
    #expect(values == [3, 3])
  }
}
