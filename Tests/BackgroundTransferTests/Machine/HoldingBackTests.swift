import KettleControl
import KettleModel
import Testing

@testable import BackgroundTransfer

struct HoldingBackTests {
  @Test func `the file remains until the last delegate calls have returned`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.returnsAtOnce = false
    bench.event(task, .completed) { $0.finish(bytes: 0) }
    #expect(bench.calls == [.finished(task, path: "/held/1")])
    let before = bench.requestsOnly.count
    bench.feed(.returned)
    #expect(bench.calls.last == .measured(task))
    bench.feed(.returned)
    #expect(bench.calls.last == .completed(task, .success))
    #expect(bench.requestsOnly.count == before)
    bench.feed(.returned)
    #expect(bench.requestsOnly.count == before + 1)
    #expect(bench.machine.isAllAcknowledged == false)
    try bench.answer(.tokens([]))
    #expect(bench.machine.isAllAcknowledged)
    #expect(bench.forgotten == [task])
  }

  @Test func `progress is merged for a slow delegate`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.returnsAtOnce = false
    for bytes: Int64 in 1...1000 { bench.progress(task, bytes, of: 1000) }
    bench.feed(.returned)
    #expect(
      bench.calls == [
        .wrote(task, bytes: 1, total: 1, expected: 1000),
        .wrote(task, bytes: 999, total: 1000, expected: 1000),
      ])
  }

  @Test func `progress of two tasks is not merged`() throws {
    var bench = SessionBench.attached()
    let first = try bench.run()
    let second = try bench.run()
    bench.returnsAtOnce = false
    bench.progress(first, 1)
    for bytes: Int64 in 2...5 {
      bench.progress(first, bytes)
      bench.progress(second, bytes)
    }
    bench.returnsAtOnce = true
    bench.feed(.returned)
    #expect(
      bench.calls == [
        .wrote(first, bytes: 1, total: 1, expected: -1),
        .wrote(first, bytes: 4, total: 5, expected: -1),
        .wrote(second, bytes: 5, total: 5, expected: -1),
      ])
  }

  @Test func `hundreds of waiting calls are made in order`() throws {
    var bench = SessionBench.attached()
    let tasks = try (0..<300).map { _ in try bench.run() }
    bench.returnsAtOnce = false
    for task in tasks { bench.event(task, .completed) { $0.finish(bytes: 0) } }
    bench.returnsAtOnce = true
    bench.feed(.returned)
    let expected = tasks.flatMap {
      [DelegateCall.finished($0, path: "/held/1"), .measured($0), .completed($0, .success)]
    }
    #expect(bench.calls.elementsEqual(expected))
  }

  @Test func `a return without a delegate call has no effect`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.feed(.returned)
    bench.event(task, .completed) { $0.finish(bytes: 0) }
    #expect(bench.calls.count == 3)
  }
}
