import KettleModel
import Testing

@testable import KettleScheduler

/// The rules of sessions and of this machine for tasks.
struct SessionRulesTests {
  private let app = SessionID(rawValue: "app")

  private func task(_ state: TransferMachine.State) -> TransferMachine {
    let record = MachineFixture.record {
      $0.spec.session = app
      $0.spec.task = TaskOptions(kind: .download)
      $0.spec.task?.conditions = [.mainsPower]
      $0.task = TaskStatus()
    }
    return TransferMachine(record, state: state)
  }

  @Test func `a queued task waits for its condition, and a paused one does not`() {
    let rules = SessionRules(metConditions: [])
    var queued = task(.queued)
    rules.enforce(on: &queued)
    #expect(queued.waitsForCondition)
    var paused = task(.paused)
    rules.enforce(on: &paused)
    #expect(paused.visibleState == .paused)
    var met = task(.queued)
    SessionRules(metConditions: [.mainsPower]).enforce(on: &met)
    #expect(met.visibleState == .queued)
  }

  @Test func `setting the same conditions is not a change`() {
    var rules = SessionRules(metConditions: [.mainsPower])
    let isChanged = [rules.setConditions([.mainsPower]), rules.setConditions([])]
    #expect(isChanged == [false, true])
  }

  @Test func `a session's own limit is at least one connection`() {
    var rules = SessionRules(metConditions: [])
    #expect(rules.hasNoConnectionLimit)
    let origin = Origin(scheme: .https, host: "files.example", port: 443)
    let place = TransferQueue.OriginSession(origin: origin, session: app)
    let now = MonotonicTime(milliseconds: 1000)
    #expect(rules.connectionLimit(of: place, at: now) == nil)
    rules.setPolicy(of: app, SessionPolicy(connectionsPerHostMax: 0))
    #expect(rules.connectionLimit(of: place, at: now) == 1)
    #expect(!rules.hasNoConnectionLimit)
  }

  @Test func `a host gets nothing from a session that has no lease of it any more`() {
    var rules = SessionRules(metConditions: [])
    func origin(_ host: String) -> Origin { Origin(scheme: .https, host: host, port: 443) }
    var policy = SessionPolicy(connectionsPerHostMax: 6)
    policy.openUntil = [
      origin("a.example"): MonotonicTime(milliseconds: 1000),
      origin("b.example"): MonotonicTime(milliseconds: 2000),
    ]
    policy.connectionsMaxOfOrigin = [origin("b.example"): 2]
    rules.setPolicy(of: app, policy)
    func limit(_ host: String, at milliseconds: Int64) -> Int? {
      rules.connectionLimit(
        of: TransferQueue.OriginSession(origin: origin(host), session: app),
        at: MonotonicTime(milliseconds: milliseconds))
    }
    #expect(limit("a.example", at: 999) == 6)
    #expect(limit("a.example", at: 1000) == 0)
    #expect(limit("b.example", at: 1000) == 2)
    #expect(limit("c.example", at: 0) == 0)
  }

  @Test func `the system decides on trust if the program does not`() {
    var challenge = ServerChallenge(
      kind: .serverTrust, origin: "http://files.example", failureCount: 0)
    challenge.serverKey = "k"
    challenge.isTrustedBySystem = true
    let failure = TransferFailure(.tlsRefused, on: "files.example")
    let state = TransferMachine.State.waiting(
      .forEvent(.needsLogin, failure, challenge: challenge))
    var rules = SessionRules(metConditions: [.mainsPower])
    var asked = task(state)
    rules.setPolicy(of: app, SessionPolicy(asksServerTrust: true))
    rules.enforce(on: &asked)
    #expect(asked.pendingChallenge == challenge)
    rules.setPolicy(of: app, SessionPolicy(asksServerTrust: false))
    rules.enforce(on: &asked)
    #expect(asked.visibleState == .queued)
    #expect(asked.spec.task?.credentials.first?.trustedKeys == ["k"])
  }
}
