import KettleModel
import Testing

@testable import BackgroundTransfer

struct PresentedBatchTests {
  private func key(_ number: Int64) -> PresentedBatch.Key { .init(session: "a", number: number) }

  private let running = TaskView(state: .running)
  private let completed = TaskView(state: .completed)
  private let failed = TaskView(state: .completed, failure: .cancelled(resume: nil))

  @Test func `completed tasks count until no task is under way`() {
    var batch = PresentedBatch()
    #expect(batch.gauge == nil)
    batch.record(running, of: key(1), completedByteCount: 0, totalByteCount: nil)
    #expect(batch.gauge == .unknown)
    batch.record(running, of: key(1), completedByteCount: 25, totalByteCount: 100)
    #expect(batch.gauge == .percent(25))
    batch.record(running, of: key(2), completedByteCount: 0, totalByteCount: 300)
    #expect(batch.gauge == .percent(6))
    batch.record(completed, of: key(1), completedByteCount: 100, totalByteCount: 100)
    #expect(batch.gauge == .percent(25))
    batch.record(completed, of: key(2), completedByteCount: 300, totalByteCount: 300)
    #expect(batch.gauge == nil)
    batch.record(running, of: key(3), completedByteCount: 1, totalByteCount: 2)
    #expect(batch.gauge == .percent(50), "the next batch begins at zero")
  }

  @Test func `failed and suspended tasks do not count`() {
    var batch = PresentedBatch()
    batch.record(running, of: key(1), completedByteCount: 50, totalByteCount: 100)
    batch.record(running, of: key(2), completedByteCount: 0, totalByteCount: 900)
    batch.record(
      TaskView(state: .suspended), of: key(2), completedByteCount: 0, totalByteCount: 900)
    #expect(batch.gauge == .percent(50))
    batch.record(running, of: key(2), completedByteCount: 0, totalByteCount: 900)
    #expect(batch.gauge == .percent(5))
    batch.record(failed, of: key(2), completedByteCount: 0, totalByteCount: 900)
    #expect(batch.gauge == .percent(50))
    batch.record(
      TaskView(state: .canceling), of: key(1), completedByteCount: 50, totalByteCount: 100)
    #expect(batch.gauge == nil)
  }

  @Test func `numbers of any size do not trap`() {
    var batch = PresentedBatch()
    for number in Int64(1)...3 {
      batch.record(running, of: key(number), completedByteCount: .max, totalByteCount: .max)
      batch.record(running, of: key(number), completedByteCount: .min, totalByteCount: .min)
    }
    for number in Int64(1)...3 {
      batch.record(completed, of: key(number), completedByteCount: .max, totalByteCount: .min)
    }
    #expect(batch.gauge == nil)
  }
}
