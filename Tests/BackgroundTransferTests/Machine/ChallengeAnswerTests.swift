import KettleControl
import KettleModel
import Testing

@testable import BackgroundTransfer

struct ChallengeAnswerTests {
  private let basic = ServerChallenge(
    kind: .basic, origin: "http://books.example", realm: "r", failureCount: 0)

  @Test func `a download finishes after its challenge is answered`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.ask(task, basic)
    bench.feed(.answer(task, basic, .login(Login(user: "u", password: "p"))))
    #expect(
      bench.requestsOnly.last
        == .answer(
          .init(
            id: SessionBench.id(task), challenge: basic,
            answer: .login(Login(user: "u", password: "p")))))
    bench.event(task, .completed) { $0.finish(bytes: 0) }
    #expect(
      bench.calls == [
        .challenge(task, basic), .finished(task, path: "/held/1"), .measured(task),
        .completed(task, .success),
      ])
  }

  @Test func `a rejected challenge ends the task as cancelled`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.ask(task, basic)
    bench.feed(.answer(task, basic, .cancel))
    bench.event(task, .failed) {
      $0.error = TransferFailure(.cancelled, on: "books.example")
    }
    #expect(
      bench.calls == [
        .challenge(task, basic), .measured(task),
        .completed(task, .failure(.cancelled(resume: nil))),
      ])
  }

  @Test func `a challenge is reported once, however often the service repeats it`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    for _ in 0..<3 { bench.ask(task, basic) }
    #expect(bench.calls == [.challenge(task, basic)])
  }

  @Test func `the question about a delayed task is reported like a challenge`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    let question = ServerChallenge(
      kind: .delayedRequest, origin: "http://books.example", failureCount: 0)
    for _ in 0..<2 {
      bench.event(task, .waiting) {
        $0.reason = .discretionary
        $0.task?.challenge = question
      }
    }
    #expect(bench.calls == [.challenge(task, question)])
  }

  @Test func `a wrong answer repeats the challenge`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.ask(task, basic)
    bench.feed(.answer(task, basic, .login(Login(user: "u", password: "p"))))
    bench.ask(task, basic, answeredCount: 1)
    #expect(bench.calls == [.challenge(task, basic), .challenge(task, basic)])
  }

  @Test func `an answer in transit when the connection is lost is sent again`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.ask(task, basic)
    bench.feed(.answer(task, basic, .standard))
    bench.feed(.connectionLost)
    bench.clearRecords()
    bench.attach([
      try SessionBench.task(task, .waiting) {
        $0.reason = .needsLogin
        $0.task?.challenge = basic
      }
    ])
    #expect(bench.calls.isEmpty)
    #expect(
      bench.requestsOnly == [
        .answer(.init(id: SessionBench.id(task), challenge: basic, answer: .standard))
      ])
  }
}

extension SessionBench {
  fileprivate mutating func ask(
    _ task: Int64, _ challenge: ServerChallenge, answeredCount: Int = 0
  ) {
    event(task, .waiting) {
      $0.reason = .needsLogin
      $0.task?.challenge = challenge
      $0.task?.answeredChallengeCount = answeredCount
    }
  }
}
