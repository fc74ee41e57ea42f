import KettleControl
import KettleModel
import Testing

@testable import BackgroundTransfer

struct RelaunchTests {
  @Test func `missed completions are reported in order, then the end of events`() throws {
    var bench = SessionBench(isLaunched: true)
    let failure = TransferFailure(.hostNotFound, on: "books.example")
    bench.attach(
      [
        try SessionBench.task(1, .completed) {
          $0.finish("/held/1")
          $0.finishedAt = WallTime(millisecondsSince1970: 30)
        },
        try SessionBench.task(2, .failed) {
          $0.error = failure
          $0.finishedAt = WallTime(millisecondsSince1970: 10)
        },
        try SessionBench.task(3, .completed) {
          $0.finish("/held/3")
          $0.finishedAt = WallTime(millisecondsSince1970: 20)
        },
      ], last: 7)
    #expect(
      bench.calls == [
        .measured(2), .completed(2, .failure(.transfer(failure, resume: nil))),
        .finished(3, path: "/held/3"), .measured(3), .completed(3, .success),
        .finished(1, path: "/held/1"), .measured(1), .completed(1, .success), .finishedEvents,
      ])
    #expect(Set(bench.restored) == [1, 2, 3])
    #expect(try bench.create() == 8)
  }

  @Test func `each call of the handler reaches the service once`() throws {
    var bench = SessionBench.attached(isLaunched: true)
    #expect(bench.calls == [.finishedEvents])
    bench.feed(.finishEvents)
    #expect(bench.requestsOnly == [.finishEvents])
  }

  @Test func `a program started by the user gets no end of events`() throws {
    var bench = SessionBench()
    bench.attach([try SessionBench.task(1, .completed) { $0.finish() }])
    #expect(bench.calls == [.finished(1, path: "/held/1"), .measured(1), .completed(1, .success)])
  }

  @Test func `the end of events waits for requested resume data`() throws {
    var bench = SessionBench(isLaunched: true)
    bench.attach([try SessionBench.task(1, .failed) { $0.breakOff() }])
    #expect(bench.calls.isEmpty)
    try bench.answer(.tokens([]))
    let failure = TransferFailure(.connectionLost, on: "books.example")
    #expect(
      bench.calls == [
        .measured(1), .completed(1, .failure(.transfer(failure, resume: nil))), .finishedEvents,
      ])
  }

  @Test func `a second attach does not repeat reports`() throws {
    var bench = SessionBench.attached(isLaunched: true)
    bench.feed(.connectionLost)
    bench.attach([])
    #expect(bench.calls == [.finishedEvents])
  }

  @Test func `a program that crashed in its handler gets the same calls again`() throws {
    let left = try SessionBench.task(1, .completed) { $0.finish() }
    var crashing = SessionBench()
    crashing.returnsAtOnce = false
    crashing.attach([left])
    #expect(crashing.calls == [.finished(1, path: "/held/1")])
    #expect(crashing.requests.isEmpty)
    var next = SessionBench()
    next.attach([left])
    #expect(next.calls == [.finished(1, path: "/held/1"), .measured(1), .completed(1, .success)])
  }

  @Test func `a running task is restored and reports only new progress`() throws {
    var bench = SessionBench()
    bench.attach([try SessionBench.task(1, .running) { $0.bytesReceived = 60 }])
    #expect(bench.calls.isEmpty)
    #expect(bench.views[1]?.last?.state == .running)
    bench.progress(1, 70, of: 100)
    #expect(bench.calls == [.wrote(1, bytes: 10, total: 70, expected: 100)])
  }

  @Test(arguments: [TransferState.idle, .paused])
  func `a suspended task is resumed with one resume`(_ state: TransferState) throws {
    var bench = SessionBench()
    bench.attach([try SessionBench.task(1, state)])
    #expect(bench.views[1]?.last?.state == .suspended)
    bench.feed(.resume(1))
    #expect(
      bench.requestsOnly
        == [.control(.init(control: .start, selection: .ids([SessionBench.id(1)])))])
  }

  @Test func `an awaited task makes no delegate calls and stays until its result is claimed`()
    throws
  {
    var bench = SessionBench()
    bench.attach([try SessionBench.task(1, .completed) { $0.finish("/books/b") }], awaited: [1])
    #expect(bench.calls.isEmpty)
    #expect(bench.settled == [.success])
    #expect(bench.requests.isEmpty)
    bench.feed(.claimed(1))
    #expect(
      bench.requestsOnly
        == [.acknowledge(.init(ids: [SessionBench.id(1)], keepsResumeData: false))])
    try bench.answer(.tokens([]))
    #expect(bench.forgotten == [1])
  }

  @Test func `delegate calls wait until held events are released`() throws {
    var bench = SessionBench(isLaunched: true)
    bench.feed(.holdEvents)
    bench.attach([try SessionBench.task(1, .completed) { $0.finish() }], last: 1)
    #expect(bench.calls.isEmpty)
    bench.feed(.releaseEvents)
    #expect(
      bench.calls == [
        .finished(1, path: "/held/1"), .measured(1), .completed(1, .success), .finishedEvents,
      ])
    bench.feed(.holdEvents)
    bench.feed(.releaseEvents)
    #expect(bench.calls.count == 4)
  }

  @Test func `releasing events makes no call in a program that was not launched`() {
    var bench = SessionBench.attached()
    bench.feed(.holdEvents)
    bench.feed(.releaseEvents)
    #expect(bench.calls.isEmpty)
  }
}
