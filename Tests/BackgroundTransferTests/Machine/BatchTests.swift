import KettleControl
import KettleModel
import Testing

@testable import BackgroundTransfer

/// Requests of many tasks that leave in one message.
struct BatchTests {
  /// A session whose requests wait for `ready`.
  private func gathering() -> SessionBench {
    var bench = SessionBench.attached()
    bench.sendsAtOnce = false
    return bench
  }

  private func run(_ bench: inout SessionBench, _ count: Int) throws -> [Int64] {
    let tasks = try (0..<count).map { _ in try bench.create() }
    for task in tasks { bench.feed(.resume(task)) }
    bench.feed(.readyToSend)
    try bench.answer(.added(tasks.map(SessionBench.id)))
    bench.clearRecords()
    return tasks
  }

  private func control(
    _ control: ControlVerb, _ tasks: some Sequence<Int64>
  ) -> ServiceRequest {
    .control(.init(control: control, selection: .ids(tasks.map(SessionBench.id))))
  }

  @Test func `thousands of tasks are added with one message`() throws {
    var bench = gathering()
    let tasks = try (0..<10_000).map { _ in try bench.create() }
    for task in tasks { bench.feed(.resume(task)) }
    #expect(bench.requests.isEmpty)
    bench.feed(.readyToSend)
    #expect(bench.requests.count == 1)
    guard case .add(let params)? = bench.requestsOnly.first else {
      Issue.record("they were not added")
      return
    }
    #expect(params.transfers.map(\.task?.taskIdentifier) == tasks)
    #expect(params.requestID == "run.1-10000")
  }

  @Test func `suspending or cancelling many tasks sends one message`() throws {
    var bench = gathering()
    let tasks = try run(&bench, 5)
    for task in tasks { bench.feed(.suspend(task)) }
    bench.feed(.readyToSend)
    #expect(bench.requestsOnly == [control(.pause, tasks)])
    bench.clearRecords()
    for task in tasks { bench.feed(.cancel(task, keepsBytes: false)) }
    bench.feed(.readyToSend)
    #expect(
      bench.requestsOnly == [.cancel(.init(ids: tasks.map(SessionBench.id), keepsBytes: false))])
  }

  @Test func `the requests of a task stay in order`() throws {
    var bench = gathering()
    let tasks = try run(&bench, 3)
    for task in tasks {
      bench.feed(.suspend(task))
      bench.feed(.resume(task))
      bench.feed(.suspend(task))
    }
    bench.feed(.readyToSend)
    #expect(
      bench.requestsOnly == [
        control(.pause, tasks), control(.start, tasks), control(.pause, tasks),
      ])
  }

  @Test func `a task suspended before it is sent is added suspended`() throws {
    var bench = gathering()
    let task = try bench.create()
    bench.feed(.resume(task))
    bench.feed(.suspend(task))
    bench.feed(.readyToSend)
    #expect(bench.requests.count == 1)
    guard case .add(let params)? = bench.requestsOnly.first else {
      Issue.record("it was not added")
      return
    }
    #expect(params.transfers.map(\.beginning) == [.idle])
  }

  @Test func `a task cancelled before it is sent is not added`() throws {
    var bench = gathering()
    let first = try bench.create()
    let second = try bench.create()
    for task in [first, second] { bench.feed(.resume(task)) }
    bench.feed(.cancel(first, keepsBytes: false))
    #expect(
      bench.calls == [.measured(first), .completed(first, .failure(.cancelled(resume: nil)))])
    bench.feed(.readyToSend)
    guard case .add(let params)? = bench.requestsOnly.first else {
      Issue.record("the other was not added")
      return
    }
    #expect(params.transfers.map(\.task?.taskIdentifier) == [second])
    try bench.answer(.added([SessionBench.id(second)]))
    #expect(bench.machine.isAllAcknowledged)
  }

  @Test func `requests that wait for an id do not keep the connection busy`() throws {
    var bench = gathering()
    let task = try bench.create()
    bench.feed(.resume(task))
    bench.feed(.readyToSend)
    bench.feed(.suspend(task))
    let count = bench.requestsWaitingCount
    bench.feed(.readyToSend)
    #expect(bench.requests.count == 1)
    #expect(bench.requestsWaitingCount == count)
    try bench.answer(.added([SessionBench.id(task)]))
    #expect(bench.requestsWaitingCount == count + 1)
    bench.feed(.readyToSend)
    #expect(bench.requestsOnly.last == control(.pause, [task]))
  }

  @Test func `an unanswered group is sent again after a lost connection`() throws {
    var bench = gathering()
    let tasks = try run(&bench, 3)
    for task in tasks { bench.feed(.suspend(task)) }
    bench.feed(.readyToSend)
    bench.feed(.connectionLost)
    bench.clearRecords()
    bench.attach(try tasks.map { try SessionBench.task($0, .running) }, last: 3)
    bench.feed(.readyToSend)
    #expect(bench.requestsOnly == [control(.pause, tasks)])
    try bench.answer(.done)
    #expect(bench.machine.isAllAcknowledged)
  }

  @Test func `ends are acknowledged together, before a request about the session`() throws {
    var bench = gathering()
    let tasks = try run(&bench, 3)
    for task in tasks { bench.event(task, .completed) { $0.finish(bytes: 0) } }
    bench.feed(.finishEvents)
    bench.feed(.readyToSend)
    let ids = tasks.map(SessionBench.id)
    #expect(
      bench.requestsOnly == [.acknowledge(.init(ids: ids, keepsResumeData: false)), .finishEvents])
    bench.feed(.answered(bench.requests[0].serial, .tokens([])))
    #expect(bench.forgotten.sorted() == tasks)
  }

  @Test func `nothing is acknowledged before everything up to its number is`() throws {
    var bench = gathering()
    let tasks = try (0..<2).map { _ in try bench.create() }
    bench.feed(.resume(tasks[0]))
    let mark = bench.machine.lastSerial
    bench.feed(.readyToSend)
    bench.feed(.resume(tasks[1]))
    #expect(!bench.machine.isAcknowledged(through: mark))
    try bench.answer(.added([SessionBench.id(tasks[0])]))
    #expect(bench.machine.isAcknowledged(through: mark))
    #expect(!bench.machine.isAllAcknowledged)
  }

  @Test func `a task that was never resumed can be recorded, and is resumed later`() throws {
    var bench = gathering()
    let task = try bench.create()
    bench.feed(.record)
    bench.feed(.readyToSend)
    guard case .add(let params)? = bench.requestsOnly.first else {
      Issue.record("it was not added")
      return
    }
    #expect(params.transfers.map(\.beginning) == [.idle])
    try bench.answer(.added([SessionBench.id(task)]))
    #expect(bench.views[task]?.last?.state == .suspended)
    bench.feed(.resume(task))
    bench.feed(.readyToSend)
    #expect(bench.requestsOnly.last == control(.start, [task]))
  }

  @Test func `a task recorded without a service can still be resumed`() throws {
    var bench = gathering()
    let task = try bench.create()
    bench.feed(.record)
    bench.feed(.gaveUp(.noService("no service")))
    #expect(bench.calls.isEmpty)
    bench.feed(.resume(task))
    #expect(bench.connectCount == 1)
    bench.attach([])
    bench.feed(.readyToSend)
    #expect(bench.requests.count == 1)
  }
}
