import KettleModel
import Testing

@testable import KettleScheduler

/// A URL whose redirects name another server each time: which one is asked, and what proves its
/// bytes.
struct AnsweringURLTests {
  private static let total: Int64 = 8 << 20
  private static let held: Int64 = 2 << 20
  private let mirror = "http://m1.example/a.iso"

  private func part(
    _ script: inout SchedulerScript, _ plan: AttemptPlan, entityTag: String
  ) throws {
    let asked = try #require(plan.requested)
    script.head(
      plan.attempt, 206,
      [
        "Content-Range": "bytes \(asked.lower)-\(Self.total - 1)/\(Self.total)",
        "ETag": entityTag,
      ])
  }

  private func redirect(_ script: inout SchedulerScript, to location: String) throws {
    let plan = try #require(script.plan)
    script.head(plan.attempt, 302, ["Location": location], from: .world)
    script.settled(plan.attempt, .cancelled)
  }

  private func retried(_ script: inout SchedulerScript) throws -> AttemptPlan {
    script.advance(milliseconds: 60_000)
    script.timePasses()
    return try #require(script.plan)
  }

  /// A transfer whose first mirror has sent `held` bytes before its connection was lost. Its next
  /// request is on its way.
  private func interrupted(
    _ script: inout SchedulerScript, _ change: (inout TransferSpec) -> Void = { _ in }
  ) throws -> TransferID {
    var wanted = spec()
    change(&wanted)
    let id = script.add(wanted)
    try redirect(&script, to: mirror)
    let first = try #require(script.attempt)
    script.head(first, 200, ["Content-Length": "\(Self.total)", "ETag": "\"m1\""])
    script.opened(first, partial(total: Self.total, entityTag: "\"m1\""))
    script.synced(id, Self.held)
    script.settled(
      first, .failed(TransferFailure(.connectionLost, on: "m1.example")), durable: Self.held)
    _ = try retried(&script)
    return id
  }

  // Fault 138
  @Test func `the server that sent the first bytes is asked for the rest`() throws {
    var script = SchedulerScript()
    let id = try interrupted(&script) {
      $0.headers = [HeaderField(received: "X-Token", "secret")]
      $0.login = Login(user: "u", password: "p")
    }
    let plan = try #require(script.plan)
    #expect(plan.url.text == mirror)
    #expect(plan.requested?.proof == .ifRange("\"m1\""))
    #expect(plan.minimumReach == .world, "as behind the redirect that led there")
    #expect(plan.login == nil && !plan.headers.contains { $0.name == "X-Token" })
    try part(&script, plan, entityTag: "\"m1\"")
    guard case .goOn? = script.bodyPlan else {
      Issue.record("It does not go on")
      return
    }
    #expect(script.record(id)?.resumeData?.answer?.url.text == mirror)
  }

  @Test func `a restart does not forget where the bytes came from`() throws {
    var script = SchedulerScript()
    let id = try interrupted(&script)
    let record = try #require(script.record(id))
    var restarted = SchedulerScript()
    restarted.run(restarted.scheduler.recover([record], at: restarted.now))
    #expect(restarted.plan?.url.text == mirror)
    #expect(restarted.plan?.minimumReach == .world)
  }

  @Test func `a record of an older version takes the requested URL for the one that answered`()
    throws
  {
    var script = SchedulerScript()
    let record = MachineFixture.record {
      $0.spec = spec()
      $0.state = .running
      $0.resumeData = partial(durable: Self.held, total: Self.total)
    }
    script.run(script.scheduler.recover([record], at: script.now))
    #expect(script.plan?.url == spec().url)
    #expect(script.plan?.requested?.proof == .ifRange("\"v1\""))
    try redirect(&script, to: mirror)
    #expect(script.plan?.requested?.proof == .ifRange("\"v1\""))
  }

  enum Refusal: CaseIterable {
    case expired, gone, busy, login, page, otherFile, shortFile, lost, untrusted, loop

    func happen(_ script: inout SchedulerScript, to plan: AttemptPlan) {
      var headers: [String: String] = [:]
      var status = 200
      switch self {
      case .expired: status = 403
      case .gone: status = 410
      case .busy:
        status = 503
        headers = ["Retry-After": "120"]
      case .login:
        status = 401
        headers = ["WWW-Authenticate": "Basic realm=x"]
      case .page: headers = ["Content-Type": "text/html", "Content-Length": "700"]
      case .otherFile: headers = ["Content-Length": "\(total)", "Last-Modified": "x"]
      case .shortFile: headers = ["Content-Length": "20"]
      case .loop:
        status = 302
        headers = ["Location": "ftp://m1.example/"]
      case .lost, .untrusted:
        let code: TransferFailure.Code = self == .lost ? .connectionRefused : .tlsRefused
        script.settled(plan.attempt, .failed(TransferFailure(code, on: "m1.example")))
        return
      }
      script.head(plan.attempt, status, headers)
      script.settled(plan.attempt, .cancelled)
    }
  }

  // Fault 45
  @Test(arguments: Refusal.allCases)
  func `when the server that answered refuses, the original URL is asked at once`(
    refusal: Refusal
  ) throws {
    var script = SchedulerScript()
    let id = try interrupted(&script)
    refusal.happen(&script, to: try #require(script.plan))
    #expect(script.state(id) == .running)
    #expect(script.plan?.url == spec().url)
    #expect(script.plan?.minimumReach == .machine)
    #expect(script.record(id)?.freshStart == nil)
    #expect(script.record(id)?.resumeData?.durable.byteCount == Self.held)
    // Its refusal is one of a server that has worked: it is tried again before a link is needed.
    let original = try #require(script.attempt)
    script.head(original, 410)
    script.settled(original, .cancelled)
    #expect(script.state(id) == .waiting)
    #expect(script.record(id)?.reason == .retry)
  }

  /// A transfer that continues at another mirror.
  private func elsewhere(
    _ script: inout SchedulerScript, _ change: (inout TransferSpec) -> Void = { _ in }
  ) throws -> (TransferID, AttemptPlan) {
    let id = try interrupted(&script, change)
    Refusal.gone.happen(&script, to: try #require(script.plan))
    try redirect(&script, to: "http://m2.example/a.iso")
    return (id, try #require(script.plan))
  }

  // Fault 138
  @Test func `another server proves its bytes, and is then the one that is asked`() throws {
    var script = SchedulerScript()
    let (id, plan) = try elsewhere(&script)
    #expect(plan.url.host == "m2.example")
    #expect(plan.requested?.proof == .overlap(suspect: nil))
    #expect(plan.requested?.lower == Self.held - (64 << 10))
    try part(&script, plan, entityTag: "\"m2\"")
    guard case .goOn(let resumeData)? = script.bodyPlan else {
      Issue.record("It does not go on")
      return
    }
    script.opened(plan.attempt, resumeData)
    // Nothing is proved before bytes behind the overlap are in the file.
    #expect(script.record(id)?.resumeData?.validator?.entityTag == "\"m1\"")
    script.changes = []
    script.synced(id, Self.held + 1)
    #expect(script.record(id)?.resumeData?.validator?.entityTag == "\"m2\"")
    #expect(script.record(id)?.resumeData?.answer?.url.host == "m2.example")
    guard case .put? = script.changes.first else {
      Issue.record("The store does not learn of it: \(script.changes)")
      return
    }
    script.settled(
      plan.attempt, .failed(TransferFailure(.connectionLost, on: "m2.example")),
      durable: Self.held + 1)
    let next = try retried(&script)
    #expect(next.url.host == "m2.example")
    #expect(next.requested?.proof == .ifRange("\"m2\""))
    #expect(script.record(id)?.freshStart == nil)
  }

  @Test func `a pause before the proof keeps the validator of the first server`() throws {
    var script = SchedulerScript()
    let (id, plan) = try elsewhere(&script)
    try part(&script, plan, entityTag: "\"m2\"")
    guard case .goOn(let resumeData)? = script.bodyPlan else {
      Issue.record("It does not go on")
      return
    }
    script.opened(plan.attempt, resumeData)
    script.control(.pause, id)
    script.settled(plan.attempt, .cancelled, durable: Self.held)
    #expect(script.record(id)?.resumeData?.validator?.entityTag == "\"m1\"")
    script.control(.start, id)
    #expect(script.plan?.url.text == mirror)
  }

  @Test func `after its proof another server serves several parts`() throws {
    var script = SchedulerScript()
    let (id, plan) = try elsewhere(&script) { $0.connections = 2 }
    try part(&script, plan, entityTag: "\"m2\"")
    guard case .goOn(let resumeData)? = script.bodyPlan else {
      Issue.record("It does not go on")
      return
    }
    script.opened(plan.attempt, resumeData)
    func progress(_ byteCount: Int64) {
      script.advance(milliseconds: 250)
      let upTo = [plan.attempt: Self.held + byteCount]
      script.handle(.body(id, .progressed(upTo)))
      script.timePasses()
    }
    for step in 1...6 { progress(Int64(step) * 1000) }
    #expect(script.attempt == plan.attempt, "no other connection joins before the proof")
    script.synced(id, Self.held + 6000)
    for step in 7...40 where script.attempt == plan.attempt { progress(Int64(step) * 1000) }
    let second = try #require(script.plan)
    #expect(second.attempt != plan.attempt)
    #expect(second.url.host == "m2.example")
    #expect(second.requested?.proof == .ifRange("\"m2\""))
  }

  // Fault 138
  @Test func `other bytes of another server are another version`() throws {
    var script = SchedulerScript()
    let (id, plan) = try elsewhere(&script)
    try part(&script, plan, entityTag: "\"m2\"")
    guard case .goOn(let resumeData)? = script.bodyPlan else {
      Issue.record("It does not go on")
      return
    }
    script.opened(plan.attempt, resumeData)
    script.settled(
      plan.attempt, .failed(TransferFailure(.otherVersion, on: "a.iso")), durable: Self.held)
    #expect(script.record(id)?.freshStart == .resourceChanged)
    #expect(script.plan?.url == spec().url)
    #expect(script.plan?.requested == nil)
  }

  // Fault 139
  @Test func `a new link with the old length and tag is compared like any other`() throws {
    var script = SchedulerScript()
    let id = try interrupted(&script)
    let plan = try #require(script.plan)
    script.control(.pause, id)
    script.settled(plan.attempt, .cancelled)
    script.control(.relink(url("http://files.example/b.iso"), nil), id)
    let fresh = try #require(script.plan)
    #expect(fresh.url.text == "http://files.example/b.iso")
    #expect(fresh.requested?.proof == .overlap(suspect: nil))
    try part(&script, fresh, entityTag: "\"m1\"")
    guard case .goOn(let resumeData)? = script.bodyPlan else {
      Issue.record("It does not go on")
      return
    }
    script.opened(fresh.attempt, resumeData)
    script.settled(
      fresh.attempt, .failed(TransferFailure(.otherVersion, on: "a.iso")), durable: Self.held)
    #expect(script.record(id)?.failure?.code == .otherFile)
    #expect(script.record(id)?.resumeData?.durable.byteCount == Self.held)
  }

  @Test func `a redirect of the same server needs no other proof`() throws {
    var script = SchedulerScript()
    let id = try interrupted(&script)
    Refusal.expired.happen(&script, to: try #require(script.plan))
    try redirect(&script, to: mirror + "?signature=2")
    let plan = try #require(script.plan)
    #expect(plan.requested?.proof == .ifRange("\"m1\""))
    #expect(plan.requested?.lower == Self.held)
    try part(&script, plan, entityTag: "\"m1\"")
    guard case .goOn(let resumeData)? = script.bodyPlan else {
      Issue.record("It does not go on")
      return
    }
    script.opened(plan.attempt, resumeData)
    #expect(script.record(id)?.resumeData?.answer?.url.query == "signature=2")
  }
}
