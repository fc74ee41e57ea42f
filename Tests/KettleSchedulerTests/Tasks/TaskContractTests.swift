import KettleModel
import Testing

@testable import KettleScheduler

/// What a program's task adds to a transfer, tested separately.
struct TaskContractTests {
  private let now = MachineFixture.now.wall
  private let failure = TransferFailure(.loginNeeded, on: "h")

  private func contract(_ change: (inout TaskOptions) -> Void = { _ in }) -> TaskContract {
    var options = TaskOptions(kind: .download)
    change(&options)
    return TaskContract(options: options, status: TaskStatus())
  }

  private func challenge(_ kind: ServerChallenge.Kind) -> ServerChallenge {
    ServerChallenge(kind: kind, origin: "http://h", failureCount: 0)
  }

  @Test func `the time limit counts from the first start, but not before the start date`() {
    var contract = contract { $0.resourceTimeoutMilliseconds = 1000 }
    #expect(contract.deadline(notBefore: nil) == nil)
    contract.recordStart(in: .queued, at: now)
    contract.recordStart(in: .running, at: now.advanced(byMilliseconds: 500))
    #expect(contract.deadline(notBefore: nil) == now.advanced(byMilliseconds: 1000))
    let date = now.advanced(byMilliseconds: 5000)
    #expect(contract.deadline(notBefore: date) == date.advanced(byMilliseconds: 1000))
    contract.recordStart(in: .idle, at: now)
    #expect(contract.deadline(notBefore: nil) == nil)
  }

  @Test func `a login answers its challenge and counts as wrong if the challenge returns`() {
    var contract = contract()
    let login = Login(user: "u", password: "p")
    let outcome = contract.respond(
      to: challenge(.basic), with: .login(login), failure: failure)
    #expect(outcome == .retried)
    #expect(contract.options.credentials.first?.login == login)
    #expect(contract.counted(challenge(.basic)).failureCount == 1)
  }

  @Test func `without a client certificate the task fails with the original failure`() {
    var contract = contract()
    let outcome = contract.respond(
      to: challenge(.clientCertificate), with: .standard, failure: failure)
    #expect(outcome == .failed(failure))
  }

  @Test func `only a server that the system trusts is trusted by default`() {
    var contract = contract()
    var unknown = challenge(.serverTrust)
    unknown.serverKey = "k"
    guard
      case .failed(let refused) = contract.respond(
        to: unknown, with: .standard, failure: failure)
    else {
      Issue.record("It was trusted")
      return
    }
    #expect(refused.code == .tlsRefused)
    unknown.isTrustedBySystem = true
    let outcome = contract.respond(to: unknown, with: .standard, failure: failure)
    #expect(outcome == .retried)
    #expect(contract.options.credentials.first?.trustedKeys == ["k"])
  }

  @Test func `resume data needs bytes, a validator and a server that accepts ranges`() {
    var contract = contract()
    #expect(contract.canBeResumed(partial(durable: 10), request: nil))
    #expect(!contract.canBeResumed(partial(durable: 0), request: nil))
    #expect(!contract.canBeResumed(partial(durable: 10, entityTag: nil), request: nil))
    #expect(!contract.canBeResumed(nil, request: nil))
    contract.recordReply(
      SchedulerScript.head(200, ["Accept-Ranges": "none"]), from: url("http://h/a"),
      requested: url("http://h/a"))
    #expect(!contract.canBeResumed(partial(durable: 10), request: nil))
  }

  @Test func `a range response is recorded as the response to the whole file`() {
    var contract = contract()
    let address = url("http://h/a")
    contract.recordReply(
      SchedulerScript.head(200, ["ETag": "\"v1\"", "Content-Length": "1000"]), from: address,
      requested: address)
    let part = SchedulerScript.head(206, ["Content-Range": "bytes 10-999/1000", "X-Part": "1"])
    contract.recordReply(toRangeOf: 1000, part, from: address, requested: address)
    let reply = contract.status.reply
    #expect(reply?.status == 200)
    #expect(
      Set(reply?.headers.map(\.name) ?? []) == ["ETag", "X-Part", "Content-Length"])
  }

  @Test(arguments: [
    (["Content-Disposition": "attachment; filename=\"book.pdf\""], "book.pdf"),
    ([:], "b.zip"), (["Content-Type": "text/html"], "b.zip"),
  ])
  func `a response suggests the name that its file gets`(
    headers: [String: String], name: String
  ) {
    var contract = contract()
    contract.recordReply(
      SchedulerScript.head(200, headers), from: url("http://h/get?n=1"),
      requested: url("http://h/b.zip"))
    #expect(contract.status.reply?.suggestedName == name)
    // The response to a range has the headers of the response to the whole.
    contract.recordReply(
      toRangeOf: 10, SchedulerScript.head(206, [:]), from: url("http://h/get?n=1"),
      requested: url("http://h/b.zip"))
    #expect(contract.status.reply?.suggestedName == name)
  }
}
