import KettleModel
import Testing

@testable import KettleScheduler

/// How a running download handles responses and ended connections.
struct ActiveDownloadTests {
  private static let total: Int64 = 16 << 20

  /// A download whose first request has just been sent.
  private func begun(_ facts: inout TransferFacts) throws -> ActiveDownload {
    let request = NextRequest(
      url: facts.spec.url, redirects: RedirectChain(to: facts.spec.source), mode: .resuming,
      content: nil)
    let transition = ActiveDownload.begin(
      request, attempt: MachineFixture.attempt(1), &facts, at: MachineFixture.now)
    guard case .running(let download)? = transition.state else {
      throw NoDownload()
    }
    return download
  }

  private struct NoDownload: Error {}

  private func response(
    _ status: Int, _ headers: [String: String], of number: UInt64 = 1
  ) -> ActiveDownload.Response {
    ActiveDownload.Response(
      head: SchedulerScript.head(status, headers), reach: .world,
      attempt: MachineFixture.attempt(number))
  }

  /// A download with an open partial file that may be divided.
  private func opened(_ facts: inout TransferFacts) throws -> ActiveDownload {
    facts.spec.connections = 4
    var download = try begun(&facts)
    _ = download.receive(
      response(200, ["Content-Length": "\(Self.total)", "ETag": "\"v1\""]), &facts,
      in: MachineFixture.context)
    let resumeData = partial(total: Self.total)
    facts.resumeData = resumeData
    _ = download.bodyOpened(
      resumeData, of: MachineFixture.attempt(1), &facts, at: MachineFixture.now.monotonic)
    download.bodyRecorded(facts, DivisionPolicy(), at: MachineFixture.now.monotonic)
    return download
  }

  @Test func `the first response opens the partial file`() throws {
    var facts = MachineFixture.facts()
    var download = try begun(&facts)
    let step = download.receive(
      response(200, ["Content-Length": "1000"]), &facts, in: MachineFixture.context)
    #expect(step.next == nil)
    guard case .openBody(_, _, .create(let file))? = step.actions.first else {
      Issue.record("No file is created")
      return
    }
    #expect(file.preferredName == "a.iso")
    #expect(file.total == 1000)
  }

  @Test func `a redirect ends the attempt and requests its target`() throws {
    var facts = MachineFixture.facts()
    var download = try begun(&facts)
    let step = download.receive(
      response(302, ["Location": "http://cdn.example/a"]), &facts, in: MachineFixture.context)
    guard case .request(let next)? = step.next else {
      Issue.record("It is not followed")
      return
    }
    #expect(next.url == url("http://cdn.example/a"))
    #expect(next.redirects.count == 1)
  }

  @Test func `a response to an unknown attempt is ignored`() throws {
    var facts = MachineFixture.facts()
    var download = try begun(&facts)
    let before = download
    let step = download.receive(response(404, [:], of: 9), &facts, in: MachineFixture.context)
    #expect(step.next == nil)
    #expect(step.actions.isEmpty)
    #expect(download == before)
  }

  @Test func `another connection joins once the speed of the first is known`() throws {
    var facts = MachineFixture.facts()
    var download = try opened(&facts)
    let soon = MachineFixture.now.monotonic
    #expect(download.wantedSources(facts, DivisionPolicy(), at: soon).isEmpty)
    let later = soon.advanced(byMilliseconds: DivisionPolicy().speedMilliseconds)
    #expect(
      download.wantedSources(facts, DivisionPolicy(), at: later).map(\.url) == [facts.spec.url])
    let plan = download.beginConnection(
      MachineFixture.attempt(2), to: .user, newcomerCount: 1, facts, policy: DivisionPolicy(),
      at: later)
    #expect(plan?.requested?.upper == Self.total)
    #expect(download.activeCount == 2)
  }

  @Test func `the first connection ends where the second one begins`() throws {
    var facts = MachineFixture.facts()
    var download = try opened(&facts)
    let later = MachineFixture.now.monotonic.advanced(byMilliseconds: 1000)
    let plan = download.beginConnection(
      MachineFixture.attempt(2), to: .user, newcomerCount: 1, facts, policy: DivisionPolicy(),
      at: later)
    let lower = try #require(plan?.requested?.lower)
    let step = download.receive(
      response(
        206,
        ["Content-Range": "bytes \(lower)-\(Self.total - 1)/\(Self.total)", "ETag": "\"v1\""],
        of: 2), &facts, in: MachineFixture.context)
    let range = ByteRange(lower: lower, upper: Self.total)
    #expect(
      step.actions == [
        .shortenAttempt(facts.id, MachineFixture.attempt(1), to: lower),
        .acceptBody(facts.id, MachineFixture.attempt(2), range),
      ])
  }

  @Test func `a download is complete when its last connection has delivered its range`() throws {
    var facts = MachineFixture.facts()
    var download = try opened(&facts)
    let step = download.end(
      .init(
        attempt: MachineFixture.attempt(1), outcome: .complete, receivedUpTo: Self.total),
      &facts, in: MachineFixture.context)
    #expect(step?.next == .whole)
    #expect(download.connections.isEmpty)
  }

  @Test func `a lost connection causes only a delay while others remain`() throws {
    var facts = MachineFixture.facts()
    var download = try opened(&facts)
    let later = MachineFixture.now.monotonic.advanced(byMilliseconds: 1000)
    _ = download.beginConnection(
      MachineFixture.attempt(2), to: .user, newcomerCount: 1, facts, policy: DivisionPolicy(),
      at: later)
    let lost = TransferFailure(.connectionLost, on: "h")
    let step = download.end(
      .init(attempt: MachineFixture.attempt(2), outcome: .failed(lost), receivedUpTo: nil),
      &facts, in: MachineFixture.context)
    #expect(step?.next == nil)
    #expect(download.pacing.failureCount == 1)
    let alone = download.end(
      .init(attempt: MachineFixture.attempt(1), outcome: .failed(lost), receivedUpTo: nil),
      &facts, in: MachineFixture.context)
    guard case .waiting(let waiting)? = alone?.next else {
      Issue.record("It is not retried")
      return
    }
    #expect(waiting.reason == .retry)
  }
}
