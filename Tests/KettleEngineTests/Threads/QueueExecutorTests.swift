import Synchronization
import Testing

@testable import KettleEngine

@Suite(.timeLimit(.minutes(5)))
struct QueueExecutorTests {
  private actor Room {
    private let executor = QueueExecutor("test")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Whether other work runs on the executor while one of the actor's own functions is called.
    func isLeft() async -> Bool {
      let others = Atomic(false)
      executor.queue.enqueue { others.store(true, ordering: .relaxed) }
      await nothing()
      await withCheckedContinuation { $0.resume() }
      return others.load(ordering: .relaxed)
    }

    private func nothing() async {}
  }

  @Test func `a call to an async function of the same actor does not leave its executor`() async {
    let room = Room()
    let isLeft = await Task(executorPreference: WorkerPool.tasks) { await room.isLeft() }.value
    #expect(!isLeft)
  }

  @Test func `a completion finished before the wait returns its first value`() async {
    let completion = Completion<Int>()
    completion.finish(1)
    completion.finish(2)
    #expect(await completion.value() == 1)
  }

  @Test func `a completion resumes all waiters`() async {
    let completion = Completion<Int>()
    async let first = completion.value()
    async let second = completion.value()
    completion.finish(3)
    let values = await [first, second]
    #expect(values == [3, 3])
  }
}
