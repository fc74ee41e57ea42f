import KettleControl
import KettleModel
import Testing

@testable import BackgroundTransfer

/// The order of delegate calls, as one list each.
struct CallOrderTests {
  @Test func `a download reports progress, its file and its completion, in this order`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.event(task, .running)
    bench.progress(task, 30, of: 100)
    bench.event(task, .completed) { $0.finish() }
    let expected: [DelegateCall] = [
      .wrote(task, bytes: 30, total: 30, expected: 100),
      .wrote(task, bytes: 70, total: 100, expected: 100), .finished(task, path: "/held/1"),
      .measured(task), .completed(task, .success),
    ]
    #expect(bench.calls == expected)
    #expect(
      bench.requestsOnly.last
        == .acknowledge(.init(ids: [SessionBench.id(task)], keepsResumeData: false)))
  }

  @Test func `the last progress is not reported twice`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.progress(task, 100, of: 100)
    bench.event(task, .completed) { $0.finish() }
    #expect(
      bench.calls == [
        .wrote(task, bytes: 100, total: 100, expected: 100), .finished(task, path: "/held/1"),
        .measured(task), .completed(task, .success),
      ])
  }

  @Test func `an empty file has no progress`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.event(task, .completed) { $0.finish(bytes: 0) }
    #expect(
      bench.calls == [
        .finished(task, path: "/held/1"), .measured(task), .completed(task, .success),
      ])
  }

  @Test func `a 404 reply delivers a file and counts as success`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.event(task, .completed) { $0.finish(status: 404, bytes: 9) }
    #expect(
      bench.calls == [
        .wrote(task, bytes: 9, total: 9, expected: 9), .finished(task, path: "/held/1"),
        .measured(task), .completed(task, .success),
      ])
    #expect(bench.views[task]?.last?.snapshot?.task?.reply?.status == 404)
  }

  @Test func `a redirect makes no delegate call`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.event(task, .completed) {
      $0.finish(bytes: 0)
      $0.task?.reply?.url = "http://elsewhere.example/c"
    }
    #expect(
      bench.calls == [
        .finished(task, path: "/held/1"), .measured(task), .completed(task, .success),
      ])
    #expect(bench.views[task]?.last?.snapshot?.task?.reply?.url == "http://elsewhere.example/c")
  }

  @Test func `a failure without bytes makes one call`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    let failure = TransferFailure(.hostNotFound, on: "books.example")
    bench.event(task, .failed) { $0.error = failure }
    #expect(
      bench.calls == [.measured(task), .completed(task, .failure(.transfer(failure, resume: nil)))])
  }

  @Test func `a failure with bytes carries resume data`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.event(task, .failed) { $0.breakOff() }
    #expect(bench.calls.isEmpty)
    #expect(
      bench.requestsOnly.last
        == .acknowledge(
          .init(ids: [SessionBench.id(task)], keepsResumeData: true, onlyTokens: true)))
    let token = ResumeToken(id: SessionBench.id(task), secret: "s")
    try bench.answer(.tokens([token]))
    let failure = TransferFailure(.connectionLost, on: "books.example")
    #expect(
      bench.calls == [
        .measured(task), .completed(task, .failure(.transfer(failure, resume: .download(token)))),
      ])
    try bench.answer(.tokens([token]))
    #expect(bench.forgotten == [task])
    #expect(bench.machine.isAllAcknowledged)
  }

  @Test(arguments: [TransferState.completed, .failed])
  func `the metrics come directly before the end`(_ end: TransferState) throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.event(task, end) {
      $0.finish(bytes: 0)
      if end == .failed { $0.error = TransferFailure(.connectionLost, on: "books.example") }
      $0.task?.record(AttemptMeasurement(url: $0.url, startedAt: $0.createdAt))
    }
    #expect(bench.calls.dropLast().last == .measured(task))
    #expect(bench.calls.filter { $0 == .measured(task) }.count == 1)
  }

  @Test func `a size known only at the end stays -1`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.event(task, .completed) {
      $0.finish(bytes: 25)
      $0.bytesExpected = 25
      $0.task?.reply = ServerReply(
        url: "http://books.example/b", status: 200,
        headers: [HeaderField(received: "Transfer-Encoding", "chunked")])
    }
    #expect(bench.calls.first == .wrote(task, bytes: 25, total: 25, expected: -1))
  }

  @Test func `an unknown size is always -1`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.progress(task, 10)
    bench.event(task, .completed) {
      $0.finish(bytes: 25)
      $0.bytesExpected = nil
    }
    #expect(
      bench.calls == [
        .wrote(task, bytes: 10, total: 10, expected: -1),
        .wrote(task, bytes: 15, total: 25, expected: -1), .finished(task, path: "/held/1"),
        .measured(task), .completed(task, .success),
      ])
  }

  @Test func `a download from resume data reports its offset first and once`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    for bytes: Int64 in [50, 60] {
      bench.event(task, .running, kind: .progress) {
        $0.task?.resumedAtByteCount = 40
        $0.bytesReceived = bytes
        $0.bytesExpected = 100
      }
    }
    #expect(
      bench.calls == [
        .resumed(task, offset: 40, expected: 100),
        .wrote(task, bytes: 10, total: 50, expected: 100),
        .wrote(task, bytes: 10, total: 60, expected: 100),
      ])
  }

  @Test func `a download that restarts counts from zero`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.progress(task, 80, of: 100)
    bench.progress(task, 20, of: 100)
    #expect(
      bench.calls == [
        .wrote(task, bytes: 80, total: 80, expected: 100),
        .wrote(task, bytes: 20, total: 20, expected: 100),
      ])
  }

  @Test func `an upload reports sent bytes, then the reply, then its completion`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run(.upload)
    bench.event(task, .running, kind: .progress) { $0.task?.sentByteCount = 20 }
    bench.event(task, .completed) {
      $0.finish("/held/2", bytes: 7)
      $0.task?.sentByteCount = 50
    }
    #expect(
      bench.calls == [
        .sent(task, bytes: 20, total: 20, expected: 50),
        .sent(task, bytes: 30, total: 50, expected: 50), .received(task, path: "/held/2"),
        .measured(task), .completed(task, .success),
      ])
  }

  @Test func `pausing and resuming make no delegate calls`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.progress(task, 30, of: 100)
    bench.feed(.suspend(task))
    bench.event(task, .paused) { $0.bytesReceived = 30 }
    bench.feed(.resume(task))
    bench.event(task, .running) { $0.bytesReceived = 30 }
    bench.event(task, .completed) { $0.finish() }
    #expect(
      bench.calls == [
        .wrote(task, bytes: 30, total: 30, expected: 100),
        .wrote(task, bytes: 70, total: 100, expected: 100), .finished(task, path: "/held/1"),
        .measured(task), .completed(task, .success),
      ])
    let controls = bench.requestsOnly.compactMap { request -> ControlVerb? in
      if case .control(let params) = request { params.control } else { nil }
    }
    #expect(controls == [.pause, .start])
  }

  @Test func `task completions are reported in order`() throws {
    var bench = SessionBench.attached()
    let first = try bench.run()
    let second = try bench.run()
    bench.event(second, .completed) { $0.finish("/held/2", bytes: 0) }
    bench.event(first, .completed) { $0.finish("/held/1", bytes: 0) }
    #expect(
      bench.calls == [
        .finished(second, path: "/held/2"), .measured(second), .completed(second, .success),
        .finished(first, path: "/held/1"), .measured(first), .completed(first, .success),
      ])
  }

  @Test func `nothing is reported after completion`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.event(task, .completed) { $0.finish(bytes: 0) }
    bench.event(task, .completed) { $0.finish(bytes: 0) }
    bench.event(task, .failed) { $0.breakOff() }
    bench.event(task, .completed, kind: .removed)
    try bench.answer(.tokens([]))
    bench.event(task, .running, kind: .progress) { $0.bytesReceived = 7 }
    #expect(
      bench.calls == [
        .finished(task, path: "/held/1"), .measured(task), .completed(task, .success),
      ])
  }
}
