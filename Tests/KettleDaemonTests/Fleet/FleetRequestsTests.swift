import KettleControl
import KettleEngine
import KettleModel
import KettleSystem
import TestSupport
import Testing

@testable import KettleDaemon
@testable import KettleFleet

/// Requests about a fleet and its list, over a fleet in memory.
@Suite(.timeLimit(.minutes(5)))
struct FleetRequestsTests {
  private let fleet: FakeFleet
  private let requests: FleetRequests
  private let mailboxes = Mailboxes()

  init() { self.init(FakeFleet()) }

  private init(_ fleet: FakeFleet) {
    self.fleet = fleet
    var information = ServiceInformation(
      processID: 1, startedAt: WallTime(millisecondsSince1970: 0), storePath: "/s",
      notices: ServiceNotices(configuration: [], others: []))
    information.places = .init(
      logPath: "/l", configPath: "/c", downloadsDirectory: "/home/u/Downloads", socketPath: "/k")
    requests = FleetRequests(
      fleet, information, now: { WallTime(millisecondsSince1970: 500) }, interval: nil)
  }

  private func client(_ id: UInt64 = 1) -> ConnectedClient {
    let mailbox = mailboxes.open()
    mailbox.greet(isWatchedByPerson: true, isOfFleet: true)
    return ConnectedClient(id: ClientID(rawValue: id), processID: 7, mailbox: mailbox)
  }

  private func send<Method: ControlMethod>(
    _ method: Method.Type, _ request: ControlRequest, as client: ConnectedClient
  ) async throws -> Method.Result {
    switch ReplyCoder().decode(try await requests.answer(request, id: .number(1), for: client)) {
    case .result(_, let result): return try result.decode(Method.Result.self)
    case .error(_, let error): throw error
    default: throw ControlError(.internalError, "reply")
    }
  }

  /// The error of a request; nil if it succeeds.
  private func error(
    _ request: ControlRequest, as client: ConnectedClient
  ) async -> ControlError? {
    do throws(ControlError) {
      _ = try await requests.answer(request, id: .number(1), for: client)
      return nil
    } catch {
      return error
    }
  }

  /// What was sent to a client since the last time.
  private func sent(to client: ConnectedClient) -> [ControlNotification] {
    let items = client.mailbox.next(byteCountMax: .max)
    // The client has read them.
    _ = client.mailbox.next(byteCountMax: 0)
    return items.compactMap(\.notification)
  }

  private func windows(of client: ConnectedClient) -> [RowWindow] {
    sent(to: client).compactMap { if case .viewport(let window) = $0 { window } else { nil } }
  }

  private func events(of client: ConnectedClient) -> [TransferEvent] {
    sent(to: client).compactMap { if case .event(let event) = $0 { event } else { nil } }
  }

  private func spec(_ number: Int, _ change: (inout TransferSpec) -> Void = { _ in }) throws
    -> TransferSpec
  {
    var spec = TransferSpec(url: try TransferURL.parse("https://a.example/\(number)").get().url)
    change(&spec)
    return spec
  }

  private static let three = TransferID(rawValue: 3)

  // MARK: Files

  @Test func `files are compared by their hosts`() async throws {
    typealias Standing = FileErrandRequest.Standing
    let person = client()
    let check = FileCheck(.damaged, at: WallTime(millisecondsSince1970: 2))
    let failure = TransferFailure(.truncated, on: "a")
    let standings: [Standing] = [
      Standing(state: .completed, isAsked: true, machine: "nas"),
      Standing(state: .completed, isAsked: false, check: check, machine: "nas"),
      Standing(state: .claimed, isAsked: true, check: check, machine: "nas"),
      Standing(state: .failed, isAsked: true, check: check, failure: failure),
      Standing(state: .queued, isAsked: false),
      Standing(state: .completed, isAsked: false, check: check, machine: "box", isAlive: false),
    ]
    for (index, standing) in standings.enumerated() {
      fleet.set(FleetTransferID(rawValue: Int64(index + 1)), standing)
    }
    let ids = (1...7).map { TransferID(rawValue: Int64($0)) }
    let request = ControlRequest.verify(
      .init(ids: ids, ageMaxMilliseconds: 9, consequence: .repairEvenIfEdited))
    let reply = try await send(VerifyTransfers.self, request, as: person)
    #expect(
      fleet.takeAsked() == [
        .compare(
          FileErrandRequest(
            ids: ids.map(FleetTransferID.init), ageMaxMilliseconds: 9,
            consequence: .repairEvenIfEdited))
      ])
    #expect(reply.since == WallTime(millisecondsSince1970: 5))
    #expect(
      Array(reply.progress.prefix(5)) == [
        .waiting, .ended(check), .repairing(by: ids[2]), .unrepaired(check, failure), .refused,
      ])
    guard case .ended(let lost) = reply.progress[5] else {
      Issue.record("a host that does not answer")
      return
    }
    #expect(lost.finding == .unreadable && lost.detail == "its machine, box, does not answer")
    #expect(reply.progress[6] == .refused)
  }

  @Test func `files of a collection keep their paths`() async throws {
    let path = try #require(MemberPath(foreign: "model/a/b.bin"))
    let flat = try #require(MemberPath(foreign: "c.bin"))
    let specs = [try spec(1), try spec(2)]
    _ = try await send(
      AddTransfers.self, .add(.init(transfers: specs, paths: [path, flat])), as: client())
    guard case .add(let addition)? = fleet.takeAsked().first else {
      Issue.record("nothing was added")
      return
    }
    #expect(addition.orders.map(\.folder?.text) == ["model/a", nil])
    #expect(addition.orders.map(\.name?.text) == ["b.bin", "c.bin"])
  }

  @Test func `doctor knows the object stores of this machine`() async throws {
    fleet.set([FleetDestination(root: "s3://b/p", standing: .replaces)])
    let result = try await send(ManageFleet.self, .fleet(.doctor), as: client())
    #expect(result.health?.destinations?.map(\.root) == ["s3://b/p"])
  }

  // MARK: The list

  @Test func `a machine in no fleet has no list of one`() async {
    let test = FleetRequestsTests(FakeFleet(standing: nil))
    let person = test.client()
    for request in [ControlRequest.hello(.init(client: "c", fleet: true)), .list(Viewport())] {
      #expect(await test.error(request, as: person) == ControlError(.noFleet, ""))
    }
    #expect(test.fleet.takeAsked().isEmpty)
  }

  @Test func `rows show what their hosts report`() async throws {
    let person = client()
    var progress = FleetProgress(
      id: FleetTransferID(rawValue: 2),
      TransferSnapshot(
        id: Self.three, session: .kettle, taskIdentifier: 3, title: "", url: "u", state: .running,
        path: "/srv/2.iso", bytesReceived: 10, bytesExpected: 110, bytesPerSecond: 20,
        connections: 4, createdAt: WallTime(millisecondsSince1970: 0)))
    fleet.set(
      FakeFleet.row(1),
      FakeFleet.row(2, .claimed) { ($0.machine, $0.progress) = ("nas", progress) })
    progress.state = .waiting
    progress.reason = .network
    fleet.set(
      FakeFleet.row(3, .claimed) { ($0.machine, $0.progress) = ("box", progress) },
      FakeFleet.row(4, .placing), FakeFleet.row(6, .paused), FakeFleet.row(7, .idle),
      FakeFleet.row(5, .completed) {
        ($0.directory, $0.name, $0.byteCount, $0.machine) = ("/srv", "5.iso", 99, "nas")
      },
      FakeFleet.row(8, .failed) { $0.failure = TransferFailure(.hostNotFound, on: "a.example") })
    let window = try await send(ListTransfers.self, .list(Viewport(tag: 5)), as: person)
    #expect(
      window.rows.map(\.state) == [
        .queued, .running, .waiting, .verifying, .completed, .paused, .idle, .failed,
      ])
    #expect(window.rows.map(\.machine) == [nil, "nas", "box", nil, "nas", nil, nil, nil])
    let running = window.rows[1]
    #expect(running.bytesReceived == 10 && running.bytesExpected == 110 && running.secondsLeft == 5)
    #expect(running.connections == 4 && running.path == "2.iso")
    #expect(window.rows[2].reason == .network && window.rows[2].bytesPerSecond == 0)
    #expect(window.rows[4].path == "/srv/5.iso" && window.rows[4].bytesReceived == 99)
    #expect(window.rows[7].error?.code == .hostNotFound)
    #expect(window.tag == 5 && window.totals.fleet == FleetGlance(name: "downloads"))
    #expect(window.totals.counts[.running] == 2 && window.totals.counts[.verifying] == 1)
    #expect(window.totals.limitBytesPerSecond == 9)
  }

  @Test func `filters and orders become those of the queue, and others are refused`() async throws {
    let person = client()
    let filter = RowFilter(
      states: [.waiting, .verifying, .scheduled], session: .kettle, host: "a.example",
      text: "iso dvd", scope: .uncleared, membership: .none, machine: "nas")
    let viewport = Viewport(filter: filter, sort: RowSort(isGrouped: true), first: 0, count: 5)
    _ = try await send(ListTransfers.self, .list(viewport), as: person)
    let expected = FleetFilter(
      states: [.claimed, .placing], machine: "nas", host: "a.example", words: ["iso", "dvd"])
    #expect(
      fleet.takeAsked() == [.window(FleetWindowRequest(filter: expected, key: .state, count: 5))])
    let ended = RowFilter(stage: .ended)
    _ = try await send(ListIDs.self, .listIDs(.init(filter: ended)), as: person)
    #expect(fleet.takeAsked() == [.ids(FleetFilter(states: [.completed, .failed]))])
    let refused: [(RowFilter, String)] = [
      (RowFilter(session: SessionID(rawValue: "x")), "session"),
      (RowFilter(queue: QueueName("night")), "queue"), (RowFilter(needsUser: true), "needsUser"),
      (RowFilter(hookFailed: true), "hookFailed"), (RowFilter(text: "^a"), "text"),
      (RowFilter(membership: .of(Self.three)), "membership"),
    ]
    for (filter, part) in refused {
      for request in [
        ControlRequest.list(Viewport(filter: filter)), .subscribe(Viewport(filter: filter)),
      ] {
        #expect(
          await error(request, as: person) == ControlError(.notOffered, "filter." + part))
      }
    }
    #expect(fleet.takeAsked().isEmpty)
  }

  @Test func `the next page is found from a row of the last one`() async throws {
    let person = client()
    for id in Int64(1)...9 { fleet.set(FakeFleet.row(id)) }
    for first in [0, 3, 7] {
      _ = try await send(ListTransfers.self, .list(Viewport(first: first, count: 3)), as: person)
    }
    let hints = fleet.takeAsked().map { asked -> FleetWindowRequest.Hint? in
      if case .window(let request) = asked { request.hint } else { nil }
    }
    #expect(
      hints == [
        nil, .init(id: FleetTransferID(rawValue: 3), index: 2),
        .init(id: FleetTransferID(rawValue: 6), index: 5),
      ])
    let other = Viewport(filter: RowFilter(states: [.failed]), first: 3, count: 3)
    _ = try await send(ListTransfers.self, .list(other), as: person)
    #expect(
      fleet.takeAsked() == [
        .window(
          FleetWindowRequest(filter: FleetFilter(states: [.failed]), first: 3, count: 3))
      ])
  }

  @Test func `controls name what they do not apply to`() async throws {
    let person = client()
    fleet.set(FakeFleet.row(1, .claimed), FakeFleet.row(2, .placing), FakeFleet.row(3, .completed))
    fleet.refuse(FleetTransferID(rawValue: 2), FleetTransferID(rawValue: 3))
    let ids = [1, 2, 3, 4].map { TransferID(rawValue: $0) }
    let result = try await send(
      ControlTransfers.self, .control(.init(control: .stop, selection: .ids(ids))), as: person)
    #expect(result.applied == [ids[0]])
    #expect(
      result.refused == [
        .init(id: ids[1], why: .busy), .init(id: ids[2], why: .completed),
        .init(id: ids[3], why: .unknown),
      ])
    _ = fleet.takeAsked()
    let all = ControlTransfers.Params(control: .pause, selection: .all)
    _ = try await send(ControlTransfers.self, .control(all), as: person)
    #expect(fleet.takeAsked().first == .control(FleetControl(.pause, ids: nil)))
  }

  @Test func `a control does not apply to more than its filter`() async throws {
    let person = client()
    func selection(_ states: TransferState...) -> TransferSelection {
      .matching(RowFilter(states: states), except: [Self.three])
    }
    func error(_ verb: ControlVerb, _ selection: TransferSelection) async -> ControlError? {
      await self.error(.control(.init(control: verb, selection: selection)), as: person)
    }
    #expect(
      await error(.remove, selection(.waiting)) == ControlError(.notOffered, "filter.states"))
    #expect(fleet.takeAsked().isEmpty)
    #expect(await error(.remove, selection(.failed)) == nil)
    #expect(await error(.stop, selection(.running, .waiting)) == nil)
    #expect(await error(.start, selection(.idle, .waiting)) == nil)
    #expect(
      fleet.takeAsked().first
        == .control(
          FleetControl(
            .remove, ids: nil, filter: FleetFilter(states: [.failed]),
            except: [FleetTransferID(rawValue: 3)])))
    #expect(await error(.startFresh, .all) == ControlError(.notOffered, "startFresh"))
    #expect(await error(.removeWithFile, .all) == ControlError(.notOffered, "removeWithFile"))
  }

  @Test func `what a fleet does not offer is refused by name`() async throws {
    let person = client()
    for request in [ControlRequest.clear, .reset, .emptyBin, .stop, .listSessions] {
      #expect(await error(request, as: person) == ControlError(.notOffered, request.method))
    }
    let missing = await error(.describe(.init(id: Self.three)), as: person)
    #expect(missing == ControlError(.unknownTransfer, "3"))
    #expect(try await send(ListQueues.self, .listQueues, as: person).queues.isEmpty)
    #expect(try await send(ReportNews.self, .news, as: person).news == nil)
    let hosts = try await send(ListHosts.self, .listHosts, as: person)
    #expect(hosts.machines == [FakeFleet.host] && hosts.hosts.isEmpty)
    let status = try await send(ServiceStatus.self, .status, as: person)
    #expect(status.totals.fleet == FleetGlance(name: "downloads"))
  }

  // MARK: Adding

  @Test func `orders are added in batches, once`() async throws {
    let person = client()
    let specs = try (1...5001).map { try spec($0) } + [spec(0) { $0.priority = .high }]
    let request = ControlRequest.add(
      .init(transfers: specs, requestID: "r", on: "nas"))
    let ids = try await send(AddTransfers.self, request, as: person).ids
    #expect(ids == (1...5002).map { TransferID(rawValue: $0) })
    let additions = fleet.takeAsked().compactMap { asked in
      if case .add(let addition) = asked { addition } else { nil }
    }
    #expect(additions.map(\.orders.count) == [5000, 1, 1])
    #expect(additions.map(\.priority) == [0.5, 0.5, 0.75])
    #expect(additions.allSatisfy { $0.on == "nas" && !$0.isPaused })
    #expect(try await send(AddTransfers.self, request, as: person).ids == ids)
    #expect(fleet.takeAsked().isEmpty)
    let paused = try spec(1) { $0.beginning = .paused }
    let params = try #require(AddURLs.Params(urls: [paused.url], template: paused))
    _ = try await send(AddURLs.self, .addURLs(params), as: person)
    guard case .add(let addition) = fleet.takeAsked().first else {
      Issue.record("nothing was added")
      return
    }
    #expect(addition.isPaused && addition.on == nil)
  }

  @Test func `an order with a part that no fleet takes is refused with that part`() async throws {
    let person = client()
    let refused: [(TransferSpec, String)] = [
      (try spec(1) { $0.login = Login(user: "u", password: "p") }, "login"),
      (try spec(1) { $0.session = SessionID(rawValue: "app") }, "session"),
      (try spec(1) { $0.onConflict = .skip }, "onConflict"),
      (try spec(1) { $0.options.attemptsMax = 3 }, "options"),
    ]
    for (spec, part) in refused {
      let request = ControlRequest.add(.init(transfers: [try self.spec(0), spec]))
      #expect(
        await error(request, as: person) == ControlError(.notOffered, "transfers[1]." + part))
    }
    #expect(fleet.takeAsked().isEmpty)
  }

  // MARK: Looking

  @Test func `a client that only looks costs one question a second while nothing changes`()
    async throws
  {
    let (one, other) = (client(1), client(2))
    fleet.set(FakeFleet.row(1))
    _ = try await send(SubscribeViewport.self, .subscribe(Viewport(count: 9)), as: one)
    #expect(
      fleet.takeAsked() == [
        .changes(since: nil, countMax: 1), .window(FleetWindowRequest(count: 9)),
      ])
    #expect(windows(of: one).map(\.rows.count) == [1])
    _ = try await send(SubscribeViewport.self, .subscribe(Viewport(count: 9)), as: other)
    _ = windows(of: other)
    _ = fleet.takeAsked()
    for _ in 0..<5 { await requests.tick() }
    #expect(
      fleet.takeAsked() == Array(repeating: .changes(since: 2, countMax: 1), count: 5))
    #expect(windows(of: one).isEmpty)
    fleet.set(FakeFleet.row(2))
    await requests.tick()
    #expect(fleet.takeAsked().count == 3)
    #expect(windows(of: one).map(\.rows.count) == [2])
    requests.leave(one.id)
    requests.leave(other.id)
    await requests.tick()
    #expect(fleet.takeAsked().isEmpty)
  }

  @Test func `progress is read each other second while something runs`() async throws {
    let person = client()
    fleet.set(FakeFleet.row(1, .claimed))
    _ = try await send(SubscribeViewport.self, .subscribe(Viewport(count: 9)), as: person)
    _ = windows(of: person)
    _ = fleet.takeAsked()
    for _ in 0..<4 { await requests.tick() }
    let readCount = fleet.takeAsked().count { if case .window = $0 { true } else { false } }
    #expect(readCount == 2)
    // They had nothing new.
    #expect(windows(of: person).isEmpty)
  }

  @Test func `rows are not read for a client that has not read the last ones`() async throws {
    let person = client()
    _ = try await send(SubscribeViewport.self, .subscribe(Viewport(count: 9)), as: person)
    fleet.set(FakeFleet.row(1))
    _ = fleet.takeAsked()
    await requests.tick()
    #expect(fleet.takeAsked() == [.changes(since: 1, countMax: 1)])
    _ = windows(of: person)
    await requests.tick()
    #expect(windows(of: person).map(\.rows.count) == [1])
  }

  @Test func `while the database is silent, the last rows stay and say since when`() async throws {
    let person = client()
    fleet.set(FakeFleet.row(1))
    _ = try await send(SubscribeViewport.self, .subscribe(Viewport(count: 9)), as: person)
    _ = windows(of: person)
    fleet.fail(with: .unreachable("timeout"))
    await requests.tick()
    let silent = try #require(windows(of: person).first)
    #expect(silent.rows.count == 1 && silent.totals.bytesPerSecond == 0)
    #expect(
      silent.totals.fleet
        == FleetGlance(
          name: "downloads", problem: "its database cannot be reached (timeout)",
          silentSince: WallTime(millisecondsSince1970: 500)))
    await requests.tick()
    #expect(windows(of: person).isEmpty)
    let refused = await error(.list(Viewport()), as: person)
    #expect(
      refused == ControlError(.fleet, "its database cannot be reached (timeout)"))
    fleet.fail(with: nil)
    await requests.tick()
    #expect(windows(of: person).first?.totals.fleet == FleetGlance(name: "downloads"))
  }

  @Test func `a first window that cannot be read says so`() async throws {
    let person = client()
    fleet.fail(with: .otherVersion(7))
    _ = try await send(SubscribeViewport.self, .subscribe(Viewport(tag: 4)), as: person)
    let window = try #require(windows(of: person).first)
    #expect(window.rows.isEmpty && window.totals.fleet?.problem?.contains("version 7") == true)
    let status = try await send(ServiceStatus.self, .status, as: person)
    #expect(status.totals.fleet?.silentSince != nil)
  }

  @Test func `events tell what has changed since they are watched`() async throws {
    let person = client()
    fleet.set(FakeFleet.row(1))
    _ = try await send(
      WatchEvents.self, .watch(.init(includesProgress: true, resynchronises: true)), as: person)
    await requests.tick()
    #expect(events(of: person).isEmpty)
    fleet.set(
      FakeFleet.row(1, .claimed),
      FakeFleet.row(2) { $0.createdAt = WallTime(millisecondsSince1970: 600) })
    await requests.tick()
    #expect(
      events(of: person).map(\.kind) == [.stateChanged, .added])
    fleet.set(FakeFleet.row(1, .claimed) { $0.machine = "nas" })
    fleet.remove(FleetTransferID(rawValue: 2))
    await requests.tick()
    let last = events(of: person)
    #expect(last.map(\.kind) == [.progress, .removed] && last[0].snapshot.machine == "nas")
    fleet.set(FakeFleet.row(3))
    fleet.haveMoreChanges()
    await requests.tick()
    #expect(sent(to: person) == [.resynchronise])
  }

  @Test func `watched states include those that a transfer leaves`() async throws {
    let person = client()
    _ = try await send(
      WatchEvents.self, .watch(.init(includesProgress: false, states: [.paused])), as: person)
    for state in [FleetState.paused, .queued, .claimed] {
      fleet.set(FakeFleet.row(1, state))
      await requests.tick()
    }
    #expect(events(of: person).map(\.snapshot.state) == [.paused, .queued])
  }

  // MARK: The fleet itself

  @Test func `joining fills in the name, the secret and the roots`() async throws {
    let test = FleetRequestsTests(FakeFleet(standing: nil))
    func join(_ name: String? = nil, roots: [String] = []) async throws -> FleetSettings {
      let reply = try await test.requests.manage(
        .join(
          database: "postgres://db/downloads", name: name, labels: ["eu"], take: nil, roots: roots))
      #expect(reply.standing?.settings.secret == "")
      guard case .join(let settings) = test.fleet.takeAsked().last else {
        throw ControlError(.internalError, "not joined")
      }
      return settings
    }
    let first = try await join()
    #expect(FleetRequest.isName(first.name) && first.secret.count > 16)
    #expect(first.take == FleetRequest.takeUsual && first.roots == ["/home/u/Downloads"])
    let again = try await join(roots: ["/srv"])
    #expect(again.secret == first.secret && again.name == first.name && again.roots == ["/srv"])
    #expect(try await join("other").secret != first.secret)
  }

  @Test func `requests about the fleet reach it`() async throws {
    let asked: [(FleetRequest, FakeFleet.Asked)] = [
      (.initialize(database: "d"), .initialize("d")), (.hosts, .hosts), (.origins, .origins),
      (
        .setOrigin(origin: "o", shares: 2, connections: nil),
        .setOrigin("o", shares: 2, connections: nil)
      ),
      (.limit(bytesPerSecond: nil), .setLimit(nil)),
      (.drain(host: "nas", isDraining: true), .drain("nas", true)), (.doctor, .doctor),
      (.leave(isDraining: true), .leave(isDraining: true)),
    ]
    for (request, expected) in asked {
      _ = try await requests.manage(request)
      #expect(fleet.takeAsked() == [expected])
    }
    #expect(try await requests.manage(.status).standing == nil)
    await #expect(throws: ControlError(.noFleet, "")) {
      try await requests.manage(.leave(isDraining: false))
    }
    fleet.fail(with: .refused("no table"))
    await #expect(throws: ControlError(.fleet, "its database refused (no table)")) {
      try await requests.manage(.initialize(database: "d"))
    }
  }

  @Test func `a service that is built without fleets says so, and takes no label`() async throws {
    let world = try await HandlerWorld()
    let person = world.connect()
    func error(_ request: ControlRequest) async -> ControlError? {
      switch ReplyCoder().decode(await world.handler.handle(request, id: .number(1), for: person)) {
      case .error(_, let error): error
      default: nil
      }
    }
    #expect(await error(.fleet(.initialize(database: "d")))?.code == .fleet)
    #expect(await error(.fleet(.hosts))?.message.contains("built without fleets") == true)
    let add = ControlRequest.add(.init(transfers: [try spec(1)], on: "nas"))
    #expect(await error(add) == ControlError(.refusedSpec, "on"))
    person.mailbox.greet(isWatchedByPerson: true, isOfFleet: true)
    #expect(!person.mailbox.isWatchedByPerson)
    #expect(await error(.list(Viewport()))?.code == .fleet)
  }

  @Test func `no event of the engine reaches a client of the fleet`() async throws {
    let world = try await HandlerWorld()
    let (mine, theirs) = (world.connect(), world.connect())
    mine.mailbox.greet(isWatchedByPerson: false, isOfFleet: true)
    for client in [mine, theirs] { client.mailbox.watch(.states) }
    _ = try await world.send(AddTransfers.self, .add(.init(transfers: [try spec(1)])), as: theirs)
    #expect(events(of: mine).isEmpty && !events(of: theirs).isEmpty)
  }
}
