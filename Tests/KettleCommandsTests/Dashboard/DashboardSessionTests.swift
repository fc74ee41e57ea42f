import KettleControl
import KettleDashboard
import KettleModel
import KettleSocket
import KettleStarter
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct DashboardSessionTests {
  private let id = TransferID(rawValue: 1)

  private func open(_ context: FakeContext) async throws -> DashboardSession {
    try await DashboardSession.open(
      DashboardRequest(address: context.context.address, client: "kettle"), in: context.context)
  }

  /// Returns the requests except those for notices, which may be anywhere among the others.
  private func askedOf(_ service: FakeService) -> [FakeService.Asked] {
    service.asked.filter { $0 != .status }
  }

  @Test func `the notices of the service reach the dashboard`() async throws {
    let context = FakeContext()
    context.service.have(notices: ["The store was damaged\u{1B}"])
    let session = try await open(context)
    var all = session.messages.makeAsyncIterator()
    #expect(await all.next() == .linkChanged(.connected))
    #expect(
      await all.next()
        == .serviceReported(["The store was damaged\u{1B}".sanitizedForDisplay(limit: 1000)]))
    await session.close()
  }

  @Test func `the dashboard declares that a person is watching`() async throws {
    var context = FakeContext()
    let connector = FakeConnector([.success(context.service)])
    context.connector = connector
    await (try open(context)).close()
    _ = await context.run("list")
    #expect(connector.attempts.map(\.isWatchedByPerson) == [true, false])
  }

  /// Returns the first messages that result from these effects.
  private func messages(
    _ effects: [ServiceEffect], count: Int, in context: FakeContext
  ) async throws -> [DashboardMessage] {
    let session = try await open(context)
    for effect in effects { session.perform(effect) }
    var messages: [DashboardMessage] = []
    for await message in session.messages {
      messages.append(message)
      if messages.count == count { break }
    }
    await session.close()
    return messages
  }

  /// Returns the outcome of one effect. The link's own message may arrive at any time.
  private func outcome(_ effect: ServiceEffect, in context: FakeContext) async throws
    -> DashboardMessage?
  {
    try await messages([effect], count: 2, in: context).first { $0 != .linkChanged(.connected) }
  }

  @Test func `rows and totals of the service reach the dashboard`() async throws {
    let context = FakeContext()
    var totals = Totals()
    totals.counts = [.running: 2, .waiting: 2, .paused: 4, .completed: 9]
    // One waits for the user.
    totals.needsUserCount = 1
    context.service.send(
      .viewport(
        RowWindow(first: 5, matchingCount: 9, rows: [snapshot(1, .running)], totals: totals)))
    let session = try await open(context)
    var all = session.messages.makeAsyncIterator()
    #expect(await all.next() == .linkChanged(.connected))
    #expect(
      await all.next()
        == .rowsArrived(
          ListWindow(first: 5, matchingCount: 9, rows: [snapshot(1, .running)]), totals))
    #expect(session.continuingCount == 3)
    await session.close()
    #expect(context.service.isClosed)
  }

  @Test func `the first connection alone reports what happened before, after its first rows`()
    async throws
  {
    var context = FakeContext()
    let next = FakeService()
    context.connector = FakeConnector([.success(context.service), .success(next)])
    var news = TransferNews(since: WallTime(millisecondsSince1970: FakeClock.start))
    news.failedCount = 2
    let window = RowWindow(first: 0, matchingCount: 0, rows: [], totals: Totals())
    for service in [context.service, next] {
      service.have(news)
      service.send(.viewport(window))
    }
    let session = try await open(context)
    var all = session.messages.makeAsyncIterator()
    #expect(await all.next() == .linkChanged(.connected))
    let rows = DashboardMessage.rowsArrived(
      ListWindow(first: 0, matchingCount: 0, rows: []), Totals())
    #expect(await all.next() == rows)
    #expect(await all.next() == .newsArrived(news))
    context.service.breakConnection()
    #expect(await all.next() == .linkChanged(.lost))
    #expect(await all.next() == .linkChanged(.connected))
    #expect(await all.next() == rows)
    session.perform(.reset)
    #expect(
      await all.next() == .commandFinished(.reset(deletedCount: 0, keptPaths: [])))
    await session.close()
  }

  @Test func `effects become calls, in order`() async throws {
    let context = FakeContext()
    guard case .success(let parsed) = TransferURL.parse("https://a.org/1") else { return }
    let spec = TransferSpec(url: parsed.url)
    let messages = try await messages(
      [
        .subscribe(Viewport(first: 3, count: 20)), .control(.start, .ids([id])),
        .control(.pause, .all), .remove(.ids([id]), withFile: true),
        .remove(.ids([id]), withFile: false), .reset, .add([spec]), .control(.stop, .all),
      ], count: 8, in: context)
    #expect(
      askedOf(context.service) == [
        .subscribe(Viewport(first: 3, count: 20)), .control(.start, .ids([id])),
        .control(.pause, .all), .control(.removeWithFile, .ids([id])),
        .control(.remove, .ids([id])), .reset, .add([spec]), .control(.stop, .all),
      ])
    #expect(messages.contains(.commandFinished(.removed(count: 1))))
    #expect(messages.contains(.commandFinished(.reset(deletedCount: 0, keptPaths: []))))
    #expect(messages.contains(.commandFinished(.added(count: 1, first: TransferID(rawValue: 1)))))
  }

  @Test func `a new link and a limit become calls, with their outcome`() async throws {
    let context = FakeContext()
    guard case .success(let link) = TransferURL.parse("https://me:p@a.org/1") else { return }
    #expect(
      try await outcome(.relink(id, link), in: context)
        == .commandFinished(.relinked(id, hasLogin: true, refused: [])))
    context.service.refuse([.init(id: id, why: .completed)])
    #expect(
      try await outcome(.limit(.ids([id]), 512), in: context)
        == .commandFinished(
          .limited(
            .ids([id]), bytesPerSecond: 512,
            refused: [ControlRefusal(id: id, why: .completed)])))
    #expect(
      askedOf(context.service) == [
        .relink(id, url: "https://a.org/1", Login(user: "me", password: "p")),
        .limit(.ids([id]), 512),
      ])
  }

  @Test func `a search becomes a call, and its reply names the search`() async throws {
    var context = FakeContext()
    context.service = FakeService([snapshot(1, .running)])
    let row = snapshot(1, .running)
    func search(_ text: String) -> RowSearch {
      RowSearch(
        filter: RowFilter(), sort: RowSort(key: .size), text: text, start: id, startIndex: 7)
    }
    let known = search(row.title)
    let unknown = search("nowhere")
    let messages = try await messages([.find(known), .find(unknown)], count: 3, in: context)
    let found = FoundRow(id: row.id, index: 0, hasWrapped: false)
    #expect(messages.contains(.found(known, found)))
    #expect(messages.contains(.found(unknown, nil)))
    #expect(askedOf(context.service) == [.find(known), .find(unknown)])
  }

  @Test func `a failed search ends without a match`() async throws {
    let context = FakeContext()
    context.service.fail(FindTransfer.name, with: ControlError(.stopping, ""))
    let search = RowSearch(
      filter: RowFilter(), sort: RowSort(), text: "x", start: nil, startIndex: 0)
    #expect(try await outcome(.find(search), in: context) == .found(search, nil))
  }

  @Test func `refusals are forwarded`() async throws {
    let context = FakeContext()
    context.service.refuse([.init(id: id, why: .completed)])
    #expect(
      try await outcome(.control(.start, .ids([id])), in: context)
        == .commandFinished(
          .controlled(
            .start, appliedCount: 0, refused: [ControlRefusal(id: id, why: .completed)])))
  }

  @Test func `details are loaded, or the reason is reported`() async throws {
    var context = FakeContext()
    context.service = FakeService([snapshot(1, .running)])
    #expect(
      try await outcome(.loadDetails(id), in: context)
        == .detailsArrived(TransferDetails(snapshot: snapshot(1, .running))))
    #expect(
      try await outcome(.loadDetails(TransferID(rawValue: 8)), in: FakeContext())
        == .commandFinished(
          .detailsFailed(
            TransferID(rawValue: 8),
            sentence: "There is no transfer \"8\"; \"kettle list\" shows all transfers")))
  }

  @Test func `errors are reported as messages`() async throws {
    let context = FakeContext()
    context.service.fail(ResetTransfers.name, with: ControlError(.stopping, ""))
    #expect(
      try await outcome(.reset, in: context)
        == .commandFinished(
          .failed(
            sentence: "The service is shutting down; try again in a "
              + "moment")))
  }

  @Test func `a service that died is started again`() async throws {
    var context = FakeContext()
    let next = FakeService()
    let connector = FakeConnector([
      .success(context.service), .failure(.notRunning(socketPath: "/s")), .success(next),
    ])
    connector.socket(true)
    context.connector = connector
    let session = try await open(context)
    context.service.breakConnection()
    var all = session.messages.makeAsyncIterator()
    #expect(await all.next() == .linkChanged(.connected))
    #expect(await all.next() == .linkChanged(.lost))
    #expect(await all.next() == .linkChanged(.connected))
    #expect(connector.attempts.map(\.startIfNeeded) == [true, false, true])
    session.perform(.reset)
    #expect(
      await all.next() == .commandFinished(.reset(deletedCount: 0, keptPaths: [])))
    #expect(askedOf(next) == [.reset])
    await session.close()
  }

  @Test func `a stopped service is not restarted but used once another program starts it`()
    async throws
  {
    var context = FakeContext()
    let away = Result<FakeService, ClientError>.failure(.notRunning(socketPath: "/s"))
    let connector = FakeConnector([
      .success(context.service), away, away, away, away, away, away, .success(FakeService()),
    ])
    context.connector = connector
    let session = try await open(context)
    context.service.breakConnection()
    var all = session.messages.makeAsyncIterator()
    #expect(await all.next() == .linkChanged(.connected))
    #expect(await all.next() == .linkChanged(.lost))
    #expect(await all.next() == .linkChanged(.stopped))
    #expect(await all.next() == .linkChanged(.connected))
    #expect(connector.attempts.dropFirst().allSatisfy { !$0.startIfNeeded })
    await session.close()
  }

  @Test func `a stopped service is started at the user's request`() async throws {
    var context = FakeContext()
    let away = Result<FakeService, ClientError>.failure(.notRunning(socketPath: "/s"))
    let connector = FakeConnector([
      .success(context.service), away, away, away, away, .success(FakeService()),
    ])
    context.connector = connector
    let session = try await open(context)
    context.service.breakConnection()
    var all = session.messages.makeAsyncIterator()
    while let message = await all.next(), message != .linkChanged(.stopped) {}
    session.perform(.startService)
    session.perform(.clearFinished)
    while let message = await all.next() {
      if case .commandFinished = message { break }
    }
    #expect(connector.attempts.filter(\.startIfNeeded).count == 2)
    await session.close()
  }

  @Test func `a dashboard without a service does not open`() async {
    var context = FakeContext()
    context.connector = FakeConnector([.failure(.didNotStart(detail: "x", logPath: "/l"))])
    await #expect(throws: ClientError.didNotStart(detail: "x", logPath: "/l")) {
      _ = try await open(context)
    }
  }
}
