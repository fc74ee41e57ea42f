import KettleControl
import KettleModel
import Testing

@testable import BackgroundTransfer

struct ReconnectionTests {
  @Test func `an unanswered request is sent again under the same id`() throws {
    var bench = SessionBench.attached()
    let task = try bench.create()
    bench.feed(.resume(task))
    let first = bench.requestsOnly
    bench.feed(.connectionLost)
    bench.clearRecords()
    bench.attach([])
    #expect(bench.requestsOnly == first)
  }

  @Test func `a task added before the connection was lost is not added twice`() throws {
    var bench = SessionBench.attached()
    let task = try bench.create()
    bench.feed(.resume(task))
    bench.feed(.connectionLost)
    bench.clearRecords()
    bench.attach([try SessionBench.task(task, .running)], last: task)
    #expect(bench.requests.isEmpty)
    #expect(bench.restored.isEmpty)
    bench.event(task, .completed) { $0.finish(bytes: 0) }
    #expect(
      bench.calls == [
        .finished(task, path: "/held/1"), .measured(task), .completed(task, .success),
      ])
  }

  @Test func `requests made without a connection are sent after reconnecting`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.feed(.connectionLost)
    bench.clearRecords()
    #expect(bench.views[task]?.last?.isServiceThere == false)
    bench.feed(.suspend(task))
    #expect(bench.requests.isEmpty)
    bench.attach([try SessionBench.task(task, .running)])
    #expect(
      bench.requestsOnly
        == [.control(.init(control: .pause, selection: .ids([SessionBench.id(task)])))])
  }

  @Test func `a task that ended while disconnected is reported once`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.progress(task, 40, of: 100)
    bench.feed(.connectionLost)
    bench.clearRecords()
    let finished = try SessionBench.task(task, .completed) { $0.finish() }
    bench.attach([finished])
    bench.feed(.connectionLost)
    bench.attach([finished])
    #expect(
      bench.calls == [
        .wrote(task, bytes: 60, total: 100, expected: 100), .finished(task, path: "/held/1"),
        .measured(task), .completed(task, .success),
      ])
  }

  @Test func `an acknowledgement without a reply is sent again`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.event(task, .completed) { $0.finish(bytes: 0) }
    bench.feed(.connectionLost)
    bench.clearRecords()
    bench.attach([try SessionBench.task(task, .completed) { $0.finish(bytes: 0) }])
    #expect(bench.calls.isEmpty)
    #expect(
      bench.requestsOnly
        == [.acknowledge(.init(ids: [SessionBench.id(task)], keepsResumeData: false))])
  }

  @Test func `resume data in transit is requested again`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.event(task, .failed) { $0.breakOff() }
    bench.feed(.connectionLost)
    bench.clearRecords()
    bench.attach([])
    #expect(bench.calls.isEmpty)
    try bench.answer(.tokens([]))
    #expect(bench.calls.count == 2)
  }

  @Test func `a task missing after reconnecting is reported as removed by the user`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.feed(.connectionLost)
    bench.attach([])
    #expect(bench.calls == [.measured(task), .completed(task, .failure(.removedByUser))])
  }

  @Test func `a stopping service gets no retry before the next one starts`() throws {
    var bench = SessionBench.attached()
    let task = try bench.create()
    bench.feed(.resume(task))
    let asked = bench.requestsOnly
    try bench.answer(.refused(ControlError(.stopping, "")))
    #expect(bench.requestsOnly == asked)
    bench.feed(.connectionLost)
    bench.clearRecords()
    bench.attach([])
    #expect(bench.requestsOnly == asked)
    #expect(bench.calls.isEmpty)
  }

  @Test func `giving up fails every resumed task once`() throws {
    var bench = SessionBench.attached()
    let first = try bench.run()
    let second = try bench.create()
    bench.feed(.resume(second))
    let third = try bench.create()
    bench.feed(.gaveUp(.noService("no kettle")))
    bench.feed(.gaveUp(.noService("no kettle")))
    #expect(
      bench.calls == [
        .measured(first), .completed(first, .failure(.session(.noService("no kettle")))),
        .measured(second), .completed(second, .failure(.session(.noService("no kettle")))),
      ])
    #expect(bench.machine.wantsConnection == false)
    #expect(bench.machine.isAllAcknowledged)
    bench.feed(.resume(third))
    #expect(bench.connectCount == 1)
    #expect(bench.machine.wantsConnection)
  }

  @Test func `a task reported as lost is dropped after reconnecting`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.feed(.gaveUp(.noService("no kettle")))
    bench.clearRecords()
    bench.feed(.connectionNeeded)
    bench.attach([try SessionBench.task(task, .running)])
    #expect(bench.calls.isEmpty)
    #expect(bench.restored.isEmpty)
    #expect(
      bench.requestsOnly == [
        .cancel(.init(ids: [SessionBench.id(task)], keepsBytes: false)),
        .acknowledge(.init(ids: [SessionBench.id(task)], keepsResumeData: false)),
      ])
  }

  @Test func `a session in use by another process fails its tasks and becomes invalid`() throws {
    var bench = SessionBench()
    let number = bench.reserveUnsendableNumber()
    bench.feed(.createUnsendable(number, .session(.inUse("12")), isAwaited: false))
    bench.feed(.resume(number))
    bench.feed(.gaveUp(.inUse("12")))
    #expect(
      bench.calls == [
        .measured(number), .completed(number, .failure(.session(.inUse("12")))),
        .becameInvalid(.inUse("12")),
      ])
    #expect(bench.isClosed)
  }
}
