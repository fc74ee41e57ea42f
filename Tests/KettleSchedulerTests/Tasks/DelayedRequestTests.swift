import KettleModel
import KettleScheduler
import Testing

/// Tasks whose program is asked at their date.
struct DelayedRequestTests {
  private static let delay: Int64 = 60_000

  /// A script in which the date of a task that asks has arrived.
  private func asking(
    _ policy: SessionPolicy? = SessionPolicy(asksBeforeBeginning: true),
    _ change: (inout TransferSpec) -> Void = { _ in }
  ) -> (SchedulerScript, TransferID) {
    var script = SchedulerScript()
    if let policy { script.run(script.scheduler.setPolicy(of: app, policy, at: script.now)) }
    var spec = taskSpec { $0.asksBeforeBeginning = true }
    spec.notBefore = script.now.wall.advanced(byMilliseconds: Self.delay)
    change(&spec)
    let id = script.add(spec)
    #expect(script.state(id) == .scheduled)
    script.advance(milliseconds: Self.delay)
    script.timePasses()
    return (script, id)
  }

  private func question(_ script: SchedulerScript, _ id: TransferID) throws -> ServerChallenge {
    let challenge = try #require(script.record(id)?.task?.challenge)
    #expect(challenge.kind == .delayedRequest)
    return challenge
  }

  @Test func `at its date a task waits for the answer of its program`() throws {
    var (script, id) = asking()
    #expect(script.state(id) == .waiting)
    #expect(script.record(id)?.reason == .discretionary)
    #expect(script.plan == nil)
    script.answer(id, try question(script, id), .standard)
    #expect(script.state(id) == .running)
    #expect(script.record(id)?.task?.challenge == nil)
  }

  @Test func `the program can replace the request`() throws {
    var (script, id) = asking()
    var request = ReplacementRequest(url: url("http://other.example/b.iso"))
    request.headers = [HeaderField(received: "Authorization", "Bearer 1")]
    script.answer(id, try question(script, id), .request(request))
    #expect(script.state(id) == .running)
    #expect(script.plan?.url == url("http://other.example/b.iso"))
    #expect(script.plan?.headers.contains(request.headers[0]) == true)
  }

  @Test func `the program can replace the request of an upload but not its file`() throws {
    let file = RequestContent.Body.file(path: "/home/me/a", byteCount: 5)
    var (script, id) = asking {
      $0.task?.kind = .upload
      $0.request = RequestContent(method: "PUT", body: file)
    }
    let request = ReplacementRequest(
      url: url("http://other.example/b"), content: RequestContent(method: "POST", body: nil))
    script.answer(id, try question(script, id), .request(request))
    #expect(script.plan?.content == RequestContent(method: "POST", body: file))
  }

  @Test func `the program can cancel the task`() throws {
    var (script, id) = asking()
    script.answer(id, try question(script, id), .cancel)
    #expect(script.state(id) == .failed)
    #expect(script.record(id)?.failure?.code == .cancelled)
  }

  @Test func `a task whose program cannot be asked begins`() {
    let (script, id) = asking(SessionPolicy(asksBeforeBeginning: false))
    #expect(script.state(id) == .running)
  }

  @Test func `a task begins when its program can no longer be asked`() {
    var (script, id) = asking()
    #expect(script.state(id) == .waiting)
    script.run(script.scheduler.setPolicy(of: app, SessionPolicy(), at: script.now))
    #expect(script.state(id) == .running)
  }

  @Test func `a task of an older library begins without a question`() {
    let (script, id) = asking { $0.task?.asksBeforeBeginning = nil }
    #expect(script.state(id) == .running)
  }

  @Test func `the user can start a task that waits for its program`() {
    var (script, id) = asking { $0.task?.conditions = [.mainsPower] }
    script.control(.start, id)
    #expect(script.state(id) == .running)
    #expect(script.record(id)?.spec.task?.conditions == [.mainsPower])
  }

  @Test func `the question survives a restart and a change of the conditions`() throws {
    var (script, id) = asking()
    script.conditions([.mainsPower, .unmeteredNetwork])
    #expect(script.state(id) == .waiting)
    script.restart()
    #expect(script.state(id) == .waiting)
    script.answer(id, try question(script, id), .standard)
    #expect(script.state(id) == .running)
  }
}
