import KettleControl
import KettleModel
import Testing

@testable import BackgroundTransfer

struct InvalidationTests {
  @Test func `an empty session becomes invalid once the service has dropped it`() throws {
    var bench = SessionBench.attached()
    bench.feed(.invalidate(cancellingTasks: false))
    #expect(bench.requestsOnly == [.drop])
    #expect(bench.calls.isEmpty)
    try bench.answer(.done)
    #expect(bench.calls == [.becameInvalid(nil)])
    #expect(bench.isClosed)
    #expect(bench.machine.isDone)
  }

  @Test func `finishing waits for the tasks, and the session's delegate call comes last`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.feed(.invalidate(cancellingTasks: false))
    #expect(bench.machine.isOpen == false)
    bench.event(task, .completed) { $0.finish(bytes: 0) }
    let acknowledgement = try #require(bench.requests.dropLast().last)
    bench.feed(.answered(acknowledgement.serial, .tokens([])))
    #expect(bench.requestsOnly.last == .drop)
    try bench.answer(.done)
    #expect(
      bench.calls == [
        .finished(task, path: "/held/1"), .measured(task), .completed(task, .success),
        .becameInvalid(nil),
      ])
  }

  @Test func `a session ends after the tasks that the program itself performs`() throws {
    var bench = SessionBench.attached()
    bench.feed(.localTaskCreated(-1))
    bench.feed(.localTaskCreated(-2))
    bench.feed(.invalidate(cancellingTasks: true))
    bench.feed(.localTaskEnded(-2))
    #expect(bench.requestsOnly.isEmpty && bench.calls.isEmpty)
    bench.feed(.localTaskEnded(-1))
    #expect(bench.requestsOnly == [.drop])
    try bench.answer(.done)
    #expect(bench.calls == [.becameInvalid(nil)])
  }

  @Test func `tasks of an earlier run are reported before the session becomes invalid`() throws {
    var bench = SessionBench()
    bench.feed(.invalidate(cancellingTasks: false))
    #expect(bench.calls.isEmpty && bench.requests.isEmpty)
    bench.attach([try SessionBench.task(1, .completed) { $0.finish() }], last: 1)
    let acknowledgement = try #require(bench.requests.dropLast().last)
    bench.feed(.answered(acknowledgement.serial, .tokens([])))
    #expect(bench.requestsOnly.last == .drop)
    try bench.answer(.done)
    #expect(
      bench.calls == [
        .finished(1, path: "/held/1"), .measured(1), .completed(1, .success), .becameInvalid(nil),
      ])
  }

  @Test func `tasks of an earlier run are cancelled too`() throws {
    var bench = SessionBench()
    bench.feed(.invalidate(cancellingTasks: true))
    bench.attach([try SessionBench.task(1, .running)], last: 1)
    #expect(
      bench.requestsOnly == [.cancel(.init(ids: [SessionBench.id(1)], keepsBytes: false))])
    bench.event(1, .failed) { $0.breakOff(.cancelled) }
    #expect(bench.calls == [.measured(1), .completed(1, .failure(.cancelled(resume: nil)))])
    #expect(bench.requestsOnly.last == .drop)
  }

  @Test func `cancelling ends each task once before the session`() throws {
    var bench = SessionBench.attached()
    let running = try bench.run()
    let unresumed = try bench.create()
    bench.feed(.invalidate(cancellingTasks: true))
    bench.event(running, .failed) { $0.breakOff(.cancelled) }
    let drop = try #require(bench.requests.last)
    #expect(drop.request == .drop)
    bench.feed(.answered(drop.serial, .done))
    #expect(
      bench.calls == [
        .measured(unresumed), .completed(unresumed, .failure(.cancelled(resume: nil))),
        .measured(running), .completed(running, .failure(.cancelled(resume: nil))),
        .becameInvalid(nil),
      ])
  }

  @Test func `a session becomes invalid even without a service`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.feed(.invalidate(cancellingTasks: true))
    bench.feed(.gaveUp(.noService("no kettle")))
    #expect(
      bench.calls == [
        .measured(task), .completed(task, .failure(.session(.noService("no kettle")))),
        .becameInvalid(nil),
      ])
    #expect(bench.isClosed)
  }

  @Test func `a drop without a reply is sent again`() throws {
    var bench = SessionBench.attached()
    bench.feed(.invalidate(cancellingTasks: false))
    bench.feed(.connectionLost)
    bench.clearRecords()
    bench.attach([])
    #expect(bench.requestsOnly == [.drop])
    try bench.answer(.done)
    #expect(bench.calls == [.becameInvalid(nil)])
  }

  @Test func `invalidating twice has no further effect`() throws {
    var bench = SessionBench.attached()
    bench.feed(.invalidate(cancellingTasks: false))
    bench.feed(.invalidate(cancellingTasks: true))
    try bench.answer(.done)
    bench.feed(.invalidate(cancellingTasks: true))
    #expect(bench.calls == [.becameInvalid(nil)])
  }

  @Test func `an empty identifier is an error, not a crash`() throws {
    var bench = SessionBench()
    bench.feed(.gaveUp(.emptyIdentifier))
    #expect(bench.calls == [.becameInvalid(.emptyIdentifier)])
  }
}
