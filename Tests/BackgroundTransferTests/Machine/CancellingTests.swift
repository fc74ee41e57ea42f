import KettleControl
import KettleModel
import Testing

@testable import BackgroundTransfer

struct CancellingTests {
  private let token = ResumeToken(id: TransferID(rawValue: 101), secret: "s")

  @Test func `cancelling ends with one call, without resume data`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.feed(.cancel(task, keepsBytes: false))
    #expect(bench.views[task]?.last?.state == .canceling)
    #expect(
      bench.requestsOnly.last == .cancel(.init(ids: [SessionBench.id(task)], keepsBytes: false)))
    bench.event(task, .failed) { $0.breakOff(.cancelled) }
    #expect(bench.calls == [.measured(task), .completed(task, .failure(.cancelled(resume: nil)))])
  }

  @Test(arguments: [TransferState.failed, .idle])
  func `what had been transferred is still shown after a cancellation`(
    state: TransferState
  ) throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.progress(task, 60, of: 100)
    bench.feed(.invalidate(cancellingTasks: true))
    bench.event(task, state) {
      $0.breakOff(.cancelled)
      $0.bytesReceived = 0
      $0.bytesExpected = nil
    }
    let shown = bench.views[task]?.last?.snapshot
    #expect(shown?.bytesReceived == 60)
    #expect(shown?.bytesExpected == 100)
  }

  @Test func `a transfer that the service begins again shows fewer bytes`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.progress(task, 60, of: 100)
    bench.progress(task, 5, of: 90)
    #expect(bench.views[task]?.last?.snapshot?.bytesReceived == 5)
    #expect(bench.views[task]?.last?.snapshot?.bytesExpected == 90)
  }

  @Test func `cancelling twice has no further effect`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.feed(.cancel(task, keepsBytes: false))
    let count = bench.requests.count
    bench.feed(.cancel(task, keepsBytes: false))
    #expect(bench.requests.count == count)
  }

  @Test func `a task that was never resumed is cancelled without the service`() throws {
    var bench = SessionBench.attached()
    let task = try bench.create()
    bench.feed(.cancel(task, keepsBytes: true))
    #expect(bench.requests.isEmpty)
    #expect(bench.resumeData == [nil])
    #expect(bench.calls == [.measured(task), .completed(task, .failure(.cancelled(resume: nil)))])
  }

  @Test func `resume data of a cancellation reaches the handler and the error`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.feed(.cancel(task, keepsBytes: true))
    bench.event(task, .failed) { $0.breakOff(.cancelled) }
    try #require(bench.calls.isEmpty)
    let acknowledgement = try #require(bench.requests.last)
    #expect(
      acknowledgement.request
        == .acknowledge(
          .init(ids: [SessionBench.id(task)], keepsResumeData: true, onlyTokens: true)))
    bench.feed(.answered(acknowledgement.serial, .tokens([token])))
    #expect(bench.resumeData == [.download(token)])
    #expect(
      bench.calls == [
        .measured(task), .completed(task, .failure(.cancelled(resume: .download(token)))),
      ])
  }

  @Test func `a failure with resume data is acknowledged after its report`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.returnsAtOnce = false
    bench.event(task, .failed) { $0.breakOff() }
    try bench.answer(.tokens([token]))
    let count = bench.requests.count
    bench.feed(.returned)
    // A program that crashes here receives it again.
    #expect(bench.calls.count == 2)
    #expect(bench.requests.count == count)
    bench.feed(.returned)
    #expect(
      bench.requestsOnly.dropFirst(count)
        == [.acknowledge(.init(ids: [SessionBench.id(task)], keepsResumeData: true))])
    try bench.answer(.tokens([token]))
    #expect(bench.forgotten == [task])
  }

  @Test func `a failure with a token is reported again after a crash`() throws {
    var bench = SessionBench()
    let failed = try SessionBench.task(1, .failed) {
      $0.breakOff()
      $0.task?.resumeToken = token
    }
    bench.attach([failed], last: 1)
    try bench.answer(.tokens([token]))
    guard
      case .completed(1, .failure(.transfer(_, .download(token)))) = try #require(bench.calls.last)
    else {
      Issue.record("\(bench.calls)")
      return
    }
  }

  @Test func `without a resume token no resume data is kept`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.event(task, .failed) { $0.breakOff() }
    try bench.answer(.tokens([]))
    #expect(
      bench.requestsOnly.last
        == .acknowledge(.init(ids: [SessionBench.id(task)], keepsResumeData: false)))
  }

  @Test(arguments: [
    [("Content-Length", "100")], [("ETag", "\"1\""), ("Accept-Ranges", "none")],
  ]) func `without validators or ranges there is no resume data`(
    _ headers: [(String, String)]
  ) throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.feed(.cancel(task, keepsBytes: true))
    bench.event(task, .failed) { $0.breakOff(.cancelled, headers: headers) }
    #expect(bench.resumeData == [nil])
    #expect(bench.calls == [.measured(task), .completed(task, .failure(.cancelled(resume: nil)))])
  }

  @Test func `a Last-Modified date suffices as validator`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.feed(.cancel(task, keepsBytes: true))
    bench.event(task, .failed) {
      $0.breakOff(.cancelled, headers: [("last-modified", "Thu, 01 Jan 2026 00:00:00 GMT")])
    }
    try bench.answer(.tokens([token]))
    #expect(bench.resumeData == [.download(token)])
  }

  @Test func `a request other than a plain GET has no resume data`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run { $0.request = RequestContent(method: "POST") }
    bench.feed(.cancel(task, keepsBytes: true))
    bench.event(task, .failed) { $0.breakOff(.cancelled) }
    #expect(bench.resumeData == [nil])
  }

  @Test func `a task that finished before it could be cancelled is a success`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.feed(.cancel(task, keepsBytes: true))
    bench.event(task, .completed) { $0.finish(bytes: 0) }
    #expect(bench.resumeData == [nil])
    #expect(
      bench.calls == [
        .finished(task, path: "/held/1"), .measured(task), .completed(task, .success),
      ])
  }

  @Test func `a completed task produces no resume data`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.event(task, .completed) { $0.finish(bytes: 0) }
    bench.feed(.cancel(task, keepsBytes: true))
    try bench.answer(.tokens([]))
    bench.feed(.cancel(task, keepsBytes: true))
    #expect(bench.resumeData == [nil, nil])
  }

  @Test func `resume data after a plain cancel is nil`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.feed(.cancel(task, keepsBytes: false))
    bench.feed(.cancel(task, keepsBytes: true))
    #expect(bench.resumeData == [nil])
  }

  @Test func `a removal by the user is reported as such`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.event(task, .failed) { $0.breakOff(.cancelled, detail: "by the user") }
    #expect(bench.calls == [.measured(task), .completed(task, .failure(.removedByUser))])
  }

  @Test func `a missing task is reported as removed by the user`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.event(task, .running, kind: .removed)
    #expect(bench.calls == [.measured(task), .completed(task, .failure(.removedByUser))])
    #expect(bench.machine.isAllAcknowledged)
  }
}
