import KettleControl
import KettleModel
import Testing

@testable import BackgroundTransfer

/// The normal end of a program, between and inside its delegate calls.
struct LeavingTests {
  /// A session with one finished task whose delegate has not returned from its first call.
  private func calling() throws -> SessionBench {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.clearRecords()
    bench.returnsAtOnce = false
    bench.event(task, .completed) { $0.finish(bytes: 0) }
    return bench
  }

  private func delivered(_ part: DeliveredPart) -> ServiceRequest {
    var params = UpdateTask.Params(id: SessionBench.id(1))
    params.delivered = part
    return .update(params)
  }

  @Test func `an exit inside the call with the file records that it was delivered`() throws {
    var bench = try calling()
    #expect(bench.calls == [.finished(1, path: "/held/1")])
    bench.feed(.leave)
    #expect(bench.requestsOnly == [delivered(.file)])
    #expect(bench.calls.count == 1)
    try bench.answer(.done)
    #expect(bench.machine.isAllAcknowledged)
  }

  @Test func `an exit between the two calls records that the file was delivered`() throws {
    var bench = try calling()
    bench.feed(.leave)
    bench.feed(.returned)
    #expect(bench.calls.count == 1)
    #expect(bench.requestsOnly == [delivered(.file)])
  }

  @Test func `an exit inside the last call acknowledges the task`() throws {
    var bench = try calling()
    bench.feed(.returned)
    bench.feed(.returned)
    #expect(bench.calls.last == .completed(1, .success))
    bench.feed(.leave)
    #expect(
      bench.requestsOnly
        == [.acknowledge(.init(ids: [SessionBench.id(1)], keepsResumeData: false))])
  }

  @Test func `the next run receives only the end of a task whose file was delivered`() throws {
    var left = try SessionBench.task(1, .completed) { $0.finish() }
    left.spec.task?.delivered = .file
    var bench = SessionBench(isLaunched: true)
    bench.attach([left])
    #expect(bench.calls == [.measured(1), .completed(1, .success), .finishedEvents])
  }

  // The task never made a request, so it has no measurements either.
  @Test func `an exit inside the call with the metrics leaves only the end`() throws {
    let failure = TransferFailure(.hostNotFound, on: "books.example")
    var failed = try SessionBench.task(1, .failed) { $0.error = failure }
    var bench = SessionBench(isLaunched: true)
    bench.returnsAtOnce = false
    bench.attach([failed])
    #expect(bench.calls == [.measured(1)])
    bench.feed(.leave)
    #expect(bench.requestsOnly == [delivered(.metrics)])

    failed.spec.task?.delivered = .metrics
    var next = SessionBench(isLaunched: true)
    next.attach([failed])
    #expect(
      next.calls == [
        .completed(1, .failure(.transfer(failure, resume: nil))), .finishedEvents,
      ])
  }

  @Test func `an exit inside the call for the end of events reports it`() throws {
    var bench = SessionBench(isLaunched: true)
    bench.returnsAtOnce = false
    bench.attach([])
    #expect(bench.calls == [.finishedEvents])
    bench.feed(.leave)
    #expect(bench.requestsOnly == [.finishEvents])
  }

  @Test func `no call is made after the exit has begun`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.feed(.leave)
    bench.event(task, .completed) { $0.finish() }
    #expect(bench.calls.isEmpty)
    // The next run receives everything.
    #expect(bench.requestsOnly.count == 1)
  }

  @Test func `tasks that the service did not record are counted`() throws {
    var bench = SessionBench.attached()
    for _ in 0..<3 { bench.feed(.resume(try bench.create())) }
    _ = try bench.create()
    bench.feed(.leave)
    let unrecorded = bench.machine.unrecordedTasks
    #expect(unrecorded == [1, 2, 3])
    bench.feed(.answered(bench.requests[0].serial, .added([SessionBench.id(1)])))
    #expect(bench.machine.lostTasks(of: unrecorded) == [2, 3])
    bench.feed(.gaveUp(.noService("no service")))
    #expect(bench.machine.lostTasks(of: unrecorded) == [2, 3])
  }
}
