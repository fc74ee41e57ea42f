import KettleControl
import KettleModel
import Testing

@testable import BackgroundTransfer

/// What the program learns of an upload that continues.
struct UploadReportTests {
  private let content = RequestContent(method: "PUT", body: .file(path: "/b", byteCount: 50))

  private func resumption(confirmed: Int64 = 0) throws -> UploadResumption {
    var resumption = UploadResumption(
      url: try TransferURL.parse("http://books.example/uploads/7").get().url,
      minimumReach: .machine, modifiedNanoseconds: 77)
    resumption.confirmedByteCount = confirmed
    return resumption
  }

  private func sent(
    _ bench: inout SessionBench, _ task: Int64, _ byteCount: Int64, confirmed: Int64 = 0
  ) throws {
    let resumption = try resumption(confirmed: confirmed)
    bench.event(task, .running, kind: .progress) {
      $0.task?.sentByteCount = byteCount
      $0.task?.uploadResumption = resumption
    }
  }

  @Test func `bytes count again from where the server continues`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run(.upload)
    try sent(&bench, task, 40)
    try sent(&bench, task, 35, confirmed: 30)
    try sent(&bench, task, 45, confirmed: 30)
    #expect(
      bench.calls == [
        .sent(task, bytes: 40, total: 40, expected: 50),
        .sent(task, bytes: 5, total: 35, expected: 50),
        .sent(task, bytes: 10, total: 45, expected: 50),
      ])
  }

  @Test func `a failed upload has resume data without another request`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run(.upload)
    let resumption = try resumption(confirmed: 30)
    let failure = TransferFailure(.connectionLost, on: "books.example")
    bench.event(task, .failed) {
      $0.error = failure
      $0.task?.uploadResumption = resumption
    }
    let expected = TaskResumption.upload(resumption, of: content)
    #expect(bench.resumeData == [expected])
    #expect(
      bench.calls == [
        .measured(task), .completed(task, .failure(.transfer(failure, resume: expected))),
      ])
    #expect(
      bench.requestsOnly.last
        == .acknowledge(.init(ids: [SessionBench.id(task)], keepsResumeData: false)))
  }

  @Test(arguments: [true, false])
  func `a cancelled upload has resume data if it was cancelled for it`(isForIt: Bool) throws {
    var bench = SessionBench.attached()
    let task = try bench.run(.upload)
    let resumption = try resumption()
    bench.feed(.cancel(task, keepsBytes: isForIt))
    bench.event(task, .failed) {
      $0.error = TransferFailure(.cancelled, on: "books.example")
      $0.task?.uploadResumption = resumption
    }
    let expected = isForIt ? TaskResumption.upload(resumption, of: content) : nil
    #expect(bench.resumeData == (isForIt ? [expected] : []))
    #expect(
      bench.calls == [.measured(task), .completed(task, .failure(.cancelled(resume: expected)))])
  }

  @Test func `an upload to a server without that has none`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run(.upload)
    bench.feed(.cancel(task, keepsBytes: true))
    bench.event(task, .failed) { $0.error = TransferFailure(.cancelled, on: "books.example") }
    #expect(bench.resumeData == [nil])
    #expect(bench.calls == [.measured(task), .completed(task, .failure(.cancelled(resume: nil)))])
  }

  // MARK: Informational responses

  private func informed(_ count: Int) -> InformationalReplies {
    var replies = InformationalReplies()
    for number in 0..<count { replies.record(reply(103 + number)) }
    return replies
  }

  private func reply(_ status: Int) -> ServerReply {
    ServerReply(url: "http://books.example/b", status: status, headers: [])
  }

  @Test func `each informational response is reported once`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run(.upload)
    for count in [1, 1, 3, 3] {
      bench.event(task, .running) { $0.task?.informationalReplies = informed(count) }
    }
    bench.event(task, .completed) {
      $0.task?.informationalReplies = informed(3)
      $0.finish(bytes: 0)
    }
    #expect(
      bench.calls == [
        .informed(task, reply(103)), .informed(task, reply(104)), .informed(task, reply(105)),
        .received(task, path: "/held/1"), .measured(task), .completed(task, .success),
      ])
  }

  @Test func `a program that was away does not hear of earlier ones`() throws {
    var bench = SessionBench()
    let known = try SessionBench.task(1, .running, kind: .upload) {
      $0.task?.informationalReplies = informed(1)
    }
    bench.attach([known], last: 1)
    #expect(bench.calls.isEmpty)
    bench.event(1, .running) { $0.task?.informationalReplies = informed(2) }
    #expect(bench.calls == [.informed(1, reply(104))])
  }
}
