import KettleControl
import KettleModel
import Testing

@testable import BackgroundTransfer

struct StartingTests {
  @Test func `nothing is sent before a task is resumed, and then one request`() throws {
    var bench = SessionBench.attached()
    let task = try bench.create()
    var params = UpdateTask.Params(id: TransferID(rawValue: 0))
    params.programData = "{}"
    params.priority = .high
    bench.feed(.update(task, params))
    #expect(bench.requests.isEmpty)
    bench.feed(.resume(task))
    #expect(bench.requests.count == 1)
    guard case .add(let added)? = bench.requestsOnly.first else {
      Issue.record("it was not added")
      return
    }
    let spec = try #require(added.transfers.first)
    #expect(spec.beginning == .queued)
    #expect(spec.task?.programData == "{}")
    #expect(spec.priority == .high)
    #expect(added.requestID == "run.1")
  }

  @Test func `each suspend needs a resume`() throws {
    var bench = SessionBench.attached()
    let task = try bench.create()
    bench.feed(.suspend(task))
    bench.feed(.resume(task))
    #expect(bench.requests.isEmpty)
    #expect(bench.views[task]?.last?.state == .suspended)
    bench.feed(.resume(task))
    #expect(bench.requests.count == 1)
    #expect(bench.views[task]?.last?.state == .running)
  }

  @Test func `resuming a running task sends nothing`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    let count = bench.requests.count
    bench.feed(.resume(task))
    #expect(bench.requests.count == count)
  }

  @Test func `tasks are added in numeric order, whichever is resumed first`() throws {
    var bench = SessionBench.attached()
    let first = try bench.create()
    let second = try bench.create()
    bench.feed(.resume(second))
    bench.feed(.resume(first))
    guard case .add(let params)? = bench.requestsOnly.first else {
      Issue.record("they were not added")
      return
    }
    #expect(params.transfers.map(\.task?.taskIdentifier) == [first, second])
    #expect(params.transfers.map(\.beginning) == [.idle, .queued])
    #expect(params.requestID == "run.1-2")
    try bench.answer(.added([SessionBench.id(first), SessionBench.id(second)]))
    #expect(
      bench.requestsOnly.last
        == .control(.init(control: .start, selection: .ids([SessionBench.id(first)]))))
  }

  @Test func `requests for a task wait for its id in the service`() throws {
    var bench = SessionBench.attached()
    let task = try bench.create()
    bench.feed(.resume(task))
    bench.feed(.suspend(task))
    #expect(bench.requests.count == 1)
    try bench.answer(.added([SessionBench.id(task)]))
    #expect(
      bench.requestsOnly.last
        == .control(.init(control: .pause, selection: .ids([SessionBench.id(task)]))))
  }

  @Test func `a task's id is accepted from an event as well as from the reply`() throws {
    var bench = SessionBench.attached()
    let task = try bench.create()
    bench.feed(.resume(task))
    bench.feed(.suspend(task))
    bench.event(task, .queued, kind: .added)
    #expect(bench.requests.count == 2)
  }

  @Test func `a task that cannot be stored fails and is not retried`() throws {
    var bench = SessionBench.attached()
    let task = try bench.create()
    bench.feed(.resume(task))
    let error = ControlError(.cannotKeep, "ENOSPC")
    try bench.answer(.refused(error))
    #expect(bench.calls == [.measured(task), .completed(task, .failure(.notKept(error)))])
    #expect(bench.forgotten == [task])
    #expect(bench.machine.isAllAcknowledged)
  }

  @Test func `an unsendable task fails when it is resumed`() throws {
    var bench = SessionBench.attached()
    let number = bench.reserveUnsendableNumber()
    bench.feed(.createUnsendable(number, .refused(.badResumeData), isAwaited: false))
    #expect(bench.calls.isEmpty)
    bench.feed(.resume(number))
    #expect(
      bench.calls == [.measured(number), .completed(number, .failure(.refused(.badResumeData)))])
    #expect(bench.requests.isEmpty)
    #expect(number < 0)
  }

  @Test func `an event about another task of the same number changes nothing`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.event(task, .completed) {
      $0.id = TransferID(rawValue: 999)
      $0.finish()
    }
    #expect(bench.calls.isEmpty)
  }
}
