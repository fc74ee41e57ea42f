import KettleControl
import KettleEngine
import KettleModel
import KettleScheduler

/// Decoded request in, result out: the only place that knows both the protocol and the engine.
struct RequestHandler: Sendable {
  let engine: TransferEngine
  let broadcaster: Broadcaster
  let sessions: SessionRegistry
  let presence: DashboardPresence
  let information: ServiceInformation
  private let memory: MemoryReturn?
  let controls: ServiceControls
  private let added = AddedRequests()
  let fleet: any FleetDoor
  let coder = ReplyCoder()

  init(
    engine: TransferEngine, broadcaster: Broadcaster, sessions: SessionRegistry,
    presence: DashboardPresence, information: ServiceInformation, memory: MemoryReturn? = nil,
    controls: ServiceControls, fleet: any FleetDoor = NoFleets()
  ) {
    self.engine = engine
    self.broadcaster = broadcaster
    self.sessions = sessions
    self.presence = presence
    self.information = information
    self.memory = memory
    self.controls = controls
    self.fleet = fleet
  }

  /// Returns the reply line.
  ///
  /// - Parameter decided: called when added transfers have their positions.
  func handle(
    _ request: ControlRequest, id: RequestID, for client: ConnectedClient,
    whenDecided decided: @escaping @Sendable () -> Void = {}
  ) async -> [UInt8] {
    do throws(ControlError) {
      let reply =
        client.mailbox.isOfFleet
        ? try await fleet.answer(request, id: id, for: client)
        : try await answer(request, id: id, for: client, whenDecided: decided)
      memory?.note(replyByteCount: reply.count)
      return reply
    } catch {
      return coder.encode(error: error, to: id)
    }
  }

  private func answer(
    _ request: ControlRequest, id: RequestID, for client: ConnectedClient,
    whenDecided decided: @escaping @Sendable () -> Void
  ) async throws(ControlError) -> [UInt8] {
    switch request {
    case .hello:
      return coder.encode(result: Hello.Result(instance: information.instance), to: id)
    case .add(let params):
      return coder.encode(
        result: try await add(params, for: client.id, whenDecided: decided), to: id)
    case .addURLs(let params):
      let ids = try await add(params, whenDecided: decided)
      return coder.encode(result: AddURLs.Result(runs: IDRuns(ids)), to: id)
    case .list(let viewport):
      let window = try await broadcaster.window(viewport, for: client.id)
      return coder.encode(result: await explained(window, .current), to: id)
    case .listIDs(let params):
      let ids = try await broadcaster.matching(params.filter, except: [])
      return coder.encode(result: ListIDs.Result(runs: IDRuns(ids)), to: id)
    case .find(let search):
      return coder.encode(
        result: FindTransfer.Result(found: try await broadcaster.find(search)), to: id)
    case .describe(let params): return coder.encode(result: try await describe(params.id), to: id)
    case .control(let params): return coder.encode(result: try await control(params), to: id)
    case .relink(let params): return coder.encode(result: await relink(params), to: id)
    case .begin(let params): return coder.encode(result: await begin(params), to: id)
    case .limit(let params): return coder.encode(result: try await limit(params), to: id)
    case .move(let params): return coder.encode(result: try await move(params), to: id)
    case .prioritize(let params): return coder.encode(result: try await prioritize(params), to: id)
    case .assign(let params): return coder.encode(result: try await assign(params), to: id)
    case .listQueues: return coder.encode(result: try await listQueues(), to: id)
    case .findURLs(let params):
      return coder.encode(
        result: FindURLs.Result(found: try await broadcaster.find(params.urls)), to: id)
    case .follow(let params): return coder.encode(result: try await follow(params), to: id)
    case .clear:
      let result = ClearFinished.Result(clearedCount: await engine.clearFinished())
      return coder.encode(result: result, to: id)
    case .news: return coder.encode(result: try await news(for: client.id), to: id)
    case .sum(let params): return coder.encode(result: try await sum(params), to: id)
    case .reset: return coder.encode(result: await resetAll(), to: id)
    case .listHosts:
      return coder.encode(result: ListHosts.Result(hosts: await engine.hosts()), to: id)
    case .resetHost(let params): return await reset(params, id: id)
    case .forgetHost(let params): return await forget(params, id: id)
    case .listBin, .undo, .emptyBin, .verify, .syncCollection, .compareCollection, .listMembers,
      .chooseMembers:
      return try await answerFileRequest(request, id: id)
    case .subscribe(let viewport):
      broadcaster.subscribe(client.id, to: viewport)
      await engine.setCadence(broadcaster.cadence)
      return coder.encode(result: Nothing(), to: id)
    case .watch(let params):
      await watch(params, by: client)
      return coder.encode(result: Nothing(), to: id)
    case .status:
      return coder.encode(result: information.status(totals: broadcaster.totals), to: id)
    case .stop:
      controls.stop()
      return coder.encode(result: Nothing(), to: id)
    case .reload(let params):
      return coder.encode(result: await controls.reload(params), to: id)
    case .describeRPC: return coder.encode(result: controls.describeRPC(), to: id)
    case .attachSession, .listSessions, .finishEvents, .adoptSession, .dropSession, .cancelTasks,
      .acknowledgeTasks, .updateTask, .answerChallenge:
      return try await answerSessionRequest(request, id: id, for: client)
    case .fleet(let request):
      return coder.encode(result: try await fleet.manage(request), to: id)
    }
  }

  private func watch(_ params: WatchEvents.Params, by client: ConnectedClient) async {
    client.mailbox.watch(
      params.includesProgress ? .progress : .states, of: params.session,
      in: params.states.map(Set.init),
      completed: params.gathersCompleted == true ? .gathered : .events,
      lag: params.resynchronises == true ? .resynchronises : .isDropped)
    await engine.setCadence(broadcaster.cadence)
  }

  private func resetAll() async -> ResetTransfers.Result {
    let outcome = await engine.reset()
    return ResetTransfers.Result(
      deletedPaths: outcome.discardedPaths, keptPaths: outcome.keptPaths)
  }

  private func reset(_ params: ResetHost.Params, id: RequestID) async -> [UInt8] {
    let origins = await engine.resetHosts(named: params.host)
    return coder.encode(result: ResetHost.Result(origins: origins), to: id)
  }

  private func forget(_ params: ForgetHost.Params, id: RequestID) async -> [UInt8] {
    let origins = await engine.forgetHosts(named: params.host)
    return coder.encode(result: ForgetHost.Result(origins: origins), to: id)
  }

  private func add(
    _ params: AddTransfers.Params, for client: ClientID,
    whenDecided decided: @escaping @Sendable () -> Void
  ) async throws(ControlError) -> AddTransfers.Result {
    if params.on != nil { throw ControlError(.refusedSpec, "on") }
    if params.paths != nil { throw ControlError(.refusedSpec, "paths") }
    for queue in Set(params.transfers.compactMap(\.options.queue)) { try await require(queue) }
    for session in Set(params.transfers.filter { $0.task != nil }.map(\.session)) {
      try sessions.requireProgram(client, of: session)
    }
    return AddTransfers.Result(
      ids: try await add(requestID: params.requestID, whenDecided: decided) { params.transfers })
  }

  private func add(
    _ params: AddURLs.Params, whenDecided decided: @escaping @Sendable () -> Void
  ) async throws(ControlError) -> [TransferID] {
    if params.on != nil { throw ControlError(.refusedSpec, "on") }
    if let queue = params.template.options.queue { try await require(queue) }
    return try await add(requestID: params.requestID, whenDecided: decided) { params.transfers }
  }

  private func add(
    requestID: String?, whenDecided decided: @escaping @Sendable () -> Void,
    _ specs: @escaping @Sendable () -> [TransferSpec]
  ) async throws(ControlError) -> [TransferID] {
    let outcome = await added.outcome(of: requestID) { [engine, information] in
      do throws(EngineError) {
        let new = specs().map(information.withoutOwnProxies)
        return .success(try await engine.add(new, whenDecided: decided))
      } catch {
        return .failure(ControlError(error))
      }
    }
    return try outcome.get()
  }

  private func describe(_ id: TransferID) async throws(ControlError) -> TransferDetails {
    guard let details = await engine.details(of: id) else {
      throw ControlError(.unknownTransfer, id.description)
    }
    var result = TransferDetails(details)
    result.snapshot = broadcaster.filled(await engine.explained(details.snapshot))
    result.snapshot.failedHook = broadcaster.failedHook(of: id)
    result.hooks = await engine.hookRuns(of: id)
    return result
  }

  private func news(for client: ClientID) async throws(ControlError) -> ReportNews.Result {
    guard let time = presence.enter(client) else { return ReportNews.Result() }
    let news = try await broadcaster.news(since: time, startedAt: information.startedAt)
    return ReportNews.Result(news: news)
  }

  private func sum(_ params: SumFinished.Params) async throws(ControlError) -> SumFinished.Result {
    let news = try await broadcaster.news(since: params.since, startedAt: information.startedAt)
    return SumFinished.Result(
      completedCount: news.completedCount, completedByteCount: news.completedByteCount)
  }

  /// Fills in why the transfers of a window do not move, and when they will be complete.
  func explained(_ window: RowWindow, _ age: TransferEngine.OutlookAge) async -> RowWindow {
    var window = window
    let (rows, outlook, now) = await engine.explained(window.rows, age)
    window.rows = rows
    window.totals.batch?.readyAt = outlook.readyAt
    window.totals.batch?.readyAtIsGuess = outlook.isGuess ? true : nil
    // The speed of the moment says nothing about a time that depends on limits and hosts.
    window.totals.batch?.secondsLeft =
      outlook.isGuess ? nil : outlook.readyAt?.wholeSeconds(after: now)
    window.totals.batch?.unpredictableCount = outlook.unpredictableCount
    window.groups = await described(window.groups)
    return window
  }

  private func control(
    _ params: ControlTransfers.Params
  ) async throws(ControlError) -> ControlTransfers.Result {
    switch params.control {
    case .start: try await control(.start, params.selection)
    case .startFresh: try await startFresh(params.selection)
    case .pause: try await control(.pause, params.selection)
    case .stop: try await control(.stop, params.selection)
    case .accept: try await control(.accept, params.selection)
    case .remember: try await control(.remember, params.selection)
    case .verify: try await verify(params.selection, .report)
    case .repair: try await verify(params.selection, .repair)
    case .remove: try await control(.remove(.stays), params.selection)
    case .removeWithFile: try await removeWithFiles(params.selection)
    }
  }

  /// Begins to compare or to repair finished files. A repair goes by the last comparison.
  private func verify(
    _ selection: TransferSelection, _ consequence: VerificationConsequence
  ) async throws(ControlError) -> ControlTransfers.Result {
    let ids: [TransferID]
    let finished = RowFilter(states: [.completed], session: .kettle)
    switch selection {
    case .ids(let named): ids = try await finishedFiles(of: named)
    case .all: ids = try await broadcaster.matching(finished, except: [])
    case .matching(let filter, let except):
      ids = try await finishedFiles(of: broadcaster.matching(filter, except: except))
    }
    var result = ControlTransfers.Result(applied: [], refused: [])
    var rest = ids[...]
    while !rest.isEmpty {
      let page = Array(rest.prefix(VerifyTransfers.idCountMax))
      rest = rest.dropFirst(page.count)
      let now = engine.now
      let since = consequence == .report ? now : WallTime(millisecondsSince1970: 0)
      let progress = await engine.verify(page, since: since, repairsSince: now, consequence)
      for (id, one) in zip(page, progress) {
        if one == .refused {
          result.refused.append(ControlRefusal(id: id, why: .noFinishedFile))
        } else {
          result.applied.append(id)
        }
      }
    }
    return result
  }

  /// The transfers, with the finished members of a collection in its place.
  private func finishedFiles(
    of ids: [TransferID]
  ) async throws(ControlError) -> [TransferID] {
    let all = await engine.withMembers(ids)
    guard all.count > ids.count else { return ids }
    let heads = Set(try await broadcaster.matching(RowFilter(membership: .collections), except: []))
    let finished = Set(
      try await broadcaster.matching(RowFilter(states: [.completed]), except: Array(heads)))
    return all.filter { finished.contains($0) || (ids.contains($0) && !heads.contains($0)) }
  }

  private func removeWithFiles(
    _ selection: TransferSelection
  ) async throws(ControlError) -> ControlTransfers.Result {
    let selected: [TransferID]?
    switch selection {
    case .ids(let named): selected = named
    case .all: selected = nil
    case .matching(let filter, let except):
      selected = try await broadcaster.matching(filter, except: except)
    }
    let (ids, results, kept) = await engine.removeWithFiles(selected)
    var outcome = Self.result(of: ids, results)
    if !kept.isEmpty { outcome.keptFiles = kept.map { .init(id: $0.id, path: $0.path) } }
    return outcome
  }

  private func prioritize(
    _ params: PrioritizeTransfers.Params
  ) async throws(ControlError) -> ControlTransfers.Result {
    try await control(.prioritize(params.priority), params.selection)
  }

  private func control(
    _ control: TransferScheduler.Control, _ selection: TransferSelection
  ) async throws(ControlError) -> ControlTransfers.Result {
    let ids: [TransferID]?
    switch selection {
    case .ids(let named): ids = named
    case .all: ids = nil
    case .matching(let filter, let except):
      ids = try await broadcaster.matching(filter, except: except)
    }
    return Self.result(of: await engine.perform(control, ids))
  }

  private func startFresh(
    _ selection: TransferSelection
  ) async throws(ControlError) -> ControlTransfers.Result {
    let ids: [TransferID]
    switch selection {
    case .ids(let named): ids = named
    // What a start of everything starts.
    case .all:
      let filter = RowFilter(states: [.idle, .scheduled, .paused, .failed], session: .kettle)
      ids = try await broadcaster.matching(filter, except: [])
    case .matching(let filter, let except):
      ids = try await broadcaster.matching(filter, except: except)
    }
    return Self.result(of: await engine.startFresh(ids))
  }

  private static func result(
    of outcome: TransferEngine.ControlOutcome
  ) -> ControlTransfers.Result {
    var result = Self.result(of: outcome.ids, outcome.results)
    result.bin = outcome.bin
    return result
  }

  private func move(
    _ params: MoveTransfers.Params
  ) async throws(ControlError) -> MoveTransfers.Result {
    let ids: [TransferID]
    switch params.selection {
    case .ids(let named): ids = named
    case .matching(let filter, let except):
      ids = try await broadcaster.matching(filter, except: except)
    // Their relative order stays the same, so moving everything changes nothing.
    case .all: return MoveTransfers.Result(applied: [], refused: [])
    }
    return Self.result(of: ids, await engine.move(ids, params.way))
  }

  private func relink(_ params: RelinkTransfer.Params) async -> RelinkTransfer.Result {
    Self.result(
      of: [params.id], [await engine.start(params.id, with: params.url, login: params.login)])
  }

  private func begin(_ params: BeginTransfer.Params) async -> BeginTransfer.Result {
    switch await engine.begin(params.id) {
    case .started: return BeginTransfer.Result(id: params.id)
    case .continues(let old):
      let title = await engine.details(of: old)?.snapshot.shownTitle
      return BeginTransfer.Result(id: old, continued: title ?? "")
    case .refused(let why): return BeginTransfer.Result(id: params.id, refused: why)
    }
  }

  private func limit(
    _ params: LimitSpeed.Params
  ) async throws(ControlError) -> LimitSpeed.Result {
    let ids: [TransferID]
    switch params.selection {
    case .ids(let named): ids = named
    case .matching(let filter, let except):
      ids = try await broadcaster.matching(filter, except: except)
    case .all:
      await engine.limitAll(toBytesPerSecond: params.bytesPerSecond)
      return LimitSpeed.Result(applied: [], refused: [])
    }
    return Self.result(
      of: ids, await engine.limit(ids, toBytesPerSecond: params.bytesPerSecond))
  }

  static func result(
    of ids: [TransferID], _ results: [TransferScheduler.ControlResult]
  ) -> ControlTransfers.Result {
    var outcome = ControlTransfers.Result(applied: [], refused: [])
    for (id, result) in zip(ids, results) {
      switch result {
      case .applied: outcome.applied.append(id)
      case .refused(let why): outcome.refused.append(ControlRefusal(id: id, why: why))
      }
    }
    return outcome
  }
}

/// What clients can do to the service as a whole.
struct ServiceControls: Sendable {
  var stop: @Sendable () -> Void
  var reload: @Sendable (ReloadConfiguration.Params) async -> ReloadConfiguration.Result
  var describeRPC: @Sendable () -> DescribeRPC.Result
}

/// The service's information about itself.
struct ServiceInformation: Sendable {
  var processID: Int64
  var startedAt: WallTime
  var storePath: String
  var notices: ServiceNotices
  var start = ServiceStart.byCommand
  var proxies = ProxiesInUse()
  var proxyEnvironment = ProxyEnvironment()
  var places: ServiceStatus.Result.Places?

  /// Different after each start of the service.
  var instance: String { "\(startedAt.millisecondsSince1970)-\(processID)" }

  /// Leaves out the proxies of the command's environment where they are the service's own: a long
  /// list would record them for every transfer.
  func withoutOwnProxies(_ spec: TransferSpec) -> TransferSpec {
    guard spec.options.proxy == .environment(proxyEnvironment) else { return spec }
    var spec = spec
    spec.options.proxy = nil
    return spec
  }

  func status(totals: Totals) -> ServiceStatus.Result {
    ServiceStatus.Result(
      processID: processID, startedAt: startedAt, storePath: storePath, totals: totals,
      notices: notices.all, proxies: proxies, start: start, places: places)
  }
}
