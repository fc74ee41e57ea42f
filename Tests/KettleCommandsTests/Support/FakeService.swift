import KettleControl
import KettleModel
import KettleSocket
import KettleStarter
import KettleSystem

/// An in-memory service: a list of snapshots, and a record of the requests.
final class FakeService: ServiceCalling {
  enum Asked: Hashable {
    case add([TransferSpec])
    /// Before `add`, in a fleet.
    case on(String)
    /// Before `add`, the paths of files of a collection.
    case at([String])
    case fleet(FleetRequest)
    case list(Viewport)
    case describe(TransferID)
    case control(ControlVerb, TransferSelection)
    case relink(TransferID, url: String, Login?)
    case begin(TransferID)
    case limit(TransferSelection, Int64?)
    case assign(TransferSelection, QueueName)
    case follow(TransferID, TransferSpec)
    case verify([TransferID], since: WallTime?, ageMax: Int64?, VerificationConsequence)
    case reset
    case subscribe(Viewport)
    case find(RowSearch)
    case listIDs(RowFilter)
    case watch(includesProgress: Bool, gathersCompleted: Bool = false)
    case status
    case stop
    case reload(withoutFile: Bool?)
    case resetHost(String)
    case undo(Int64?)
    case emptyBin
    case adopt(SessionID)
    case drop(SessionID)
    case news
  }

  private struct State {
    var rows: [TransferSnapshot] = []
    var asked: [Asked] = []
    var sought: [[String]] = []
    var followed: [FollowTransfer.Result] = []
    var verified: [[VerificationProgress]] = []
    var errors: [String: any Error] = [:]
    var onWatch: [ControlNotification] = []
    var endsAfterWatch = false
    var refused: [ControlRefusal] = []
    var keptFiles: [ControlTransfers.KeptFile]?
    var resetResult = ResetTransfers.Result(deletedPaths: [], keptPaths: [])
    var descriptions: [TransferSnapshot] = []
    var afterList: [@Sendable (inout [TransferSnapshot]) -> Void] = []
    var isClosed = false
    var reader: AsyncStream<ControlNotification>.Continuation?
    var waiting: [ControlNotification] = []
    var isBroken = false
    var added: [String: AddTransfers.Result] = [:]
    var losesReply = false
    var sessions: [SessionSummary] = []
    var notices: [String] = []
    var hosts: [HostSnapshot] = []
    var queues: [QueueSnapshot] = []
    var bin: [BinSnapshot] = []
    var undone: [UndoAction.Result] = []
    var binBytes: BinBytes?
    var news: TransferNews?
    var begun: BeginTransfer.Result?
    var fleet = ManageFleet.Result()
    var reloaded = ReloadConfiguration.Result(notices: [], pending: [])
    var rpc = DescribeRPC.Result()
    /// The list of each collection.
    var members: [ListedMember] = []
    var whenAdded: (@Sendable (TransferSpec) -> Void)?

    /// Returns the matching rows, then applies the next change that a test has set.
    mutating func taken(_ filter: RowFilter) -> [TransferSnapshot] {
      defer { if !afterList.isEmpty { afterList.removeFirst()(&rows) } }
      return rows.filter { row in
        filter.states?.contains(row.state) != false
          && (filter.session ?? row.session) == row.session
          && (filter.queue ?? row.queueOfUser) == row.queueOfUser
          && RowTest(RowFilter(membership: filter.membership)).passes(row)
      }
    }
  }

  private let state: Mutex<State>

  let instance: String?
  let serviceVersion: String?

  init(_ rows: [TransferSnapshot] = [], instance: String? = nil, version: String? = nil) {
    state = Mutex(State(rows: rows))
    self.instance = instance
    serviceVersion = version
  }

  /// A separate stream for each connection, because commands connect more than once.
  var notifications: AsyncStream<ControlNotification> {
    let (stream, continuation) = AsyncStream<ControlNotification>.makeStream()
    let (waiting, isBroken) = state.withLock { state in
      defer {
        state.waiting = []
        state.isBroken = false
      }
      state.reader = state.isBroken ? nil : continuation
      return (state.waiting, state.isBroken)
    }
    for notification in waiting { continuation.yield(notification) }
    if isBroken { continuation.finish() }
    return stream
  }

  var asked: [Asked] { state.withLock { $0.asked } }
  /// The URLs of each request for those on the list. `asked` does not have these requests.
  var sought: [[String]] { state.withLock { $0.sought } }
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Makes the method fail with this error from now on.
  func fail(_ method: String, with error: any Error) {
    state.withLock { $0.errors[method] = error }
  }

  /// Called for each new transfer.
  func onAdd(_ body: @escaping @Sendable (TransferSpec) -> Void) {
    state.withLock { $0.whenAdded = body }
  }

  /// Sends these as soon as events are watched, then optionally ends the connection.
  func onWatch(_ events: [TransferEvent], thenEnd: Bool = false) {
    state.withLock {
      $0.onWatch = events.map { .event($0) }
      $0.endsAfterWatch = thenEnd
    }
  }

  /// Sends these as soon as events are watched.
  func onWatch(_ notifications: [ControlNotification]) {
    state.withLock { $0.onWatch = notifications }
  }

  /// The files that removals leave from now on.
  func keepFiles(_ files: [ControlTransfers.KeptFile]) { state.withLock { $0.keptFiles = files } }

  func refuse(_ refusals: [ControlRefusal]) { state.withLock { $0.refused = refusals } }

  func reset(answers result: ResetTransfers.Result) { state.withLock { $0.resetResult = result } }

  func begin(answers result: BeginTransfer.Result) { state.withLock { $0.begun = result } }

  func have(notices: [String]) { state.withLock { $0.notices = notices } }

  func have(_ members: [ListedMember]) { state.withLock { $0.members = members } }

  func have(_ hosts: [HostSnapshot]) { state.withLock { $0.hosts = hosts } }

  func have(_ queues: [QueueSnapshot]) { state.withLock { $0.queues = queues } }

  func have(_ bin: [BinSnapshot]) { state.withLock { $0.bin = bin } }

  /// Sets the answer to all requests about the fleet.
  func have(_ fleet: ManageFleet.Result) { state.withLock { $0.fleet = fleet } }

  func have(_ news: TransferNews) { state.withLock { $0.news = news } }

  func reload(answers result: ReloadConfiguration.Result) {
    state.withLock { $0.reloaded = result }
  }

  /// The time that the service compares by; its clock is not that of the program.
  static let verifiedSince = WallTime(millisecondsSince1970: 77)

  /// Sets the answers to requests that compare files, in order.
  func verify(answers progress: [VerificationProgress]...) {
    state.withLock { $0.verified = progress }
  }

  /// Sets the answers to requests that follow a transfer; further ones are that it is followed.
  func follow(answers results: FollowTransfer.Result...) {
    state.withLock { $0.followed = results }
  }

  func have(_ rpc: DescribeRPC.Result) { state.withLock { $0.rpc = rpc } }

  /// Sets the results of the next undos.
  /// What the next controls put into the bin, or take back.
  func bin(_ bytes: BinBytes) { state.withLock { $0.binBytes = bytes } }

  func undo(_ results: UndoAction.Result...) { state.withLock { $0.undone = results } }

  func have(_ sessions: [SessionSummary]) { state.withLock { $0.sessions = sessions } }

  /// Sets successive answers to queries about one transfer. After these the rows are used again.
  func describe(_ answers: [TransferSnapshot]) { state.withLock { $0.descriptions = answers } }

  func changeRows(_ change: (inout [TransferSnapshot]) -> Void) {
    state.withLock { change(&$0.rows) }
  }

  /// Changes the rows after the next answer to a list request.
  func afterList(_ change: @escaping @Sendable (inout [TransferSnapshot]) -> Void) {
    state.withLock { $0.afterList.append(change) }
  }

  /// Sends this immediately, or as soon as there is a reader.
  func send(_ notification: ControlNotification) {
    let reader = state.withLock { state in
      if state.reader == nil { state.waiting.append(notification) }
      return state.reader
    }
    reader?.yield(notification)
  }

  /// Ends the connection. The next one is independent of it.
  func close() async { end() }

  /// Breaks the current connection, or the next one if there is none.
  func breakConnection() {
    let reader = state.withLock { state in
      if state.reader == nil { state.isBroken = true }
      defer { state.reader = nil }
      return state.reader
    }
    reader?.finish()
  }

  private func end() {
    let reader = state.withLock { state in
      state.isClosed = true
      defer { state.reader = nil }
      return state.reader
    }
    reader?.finish()
  }

  func call<Method: ControlMethod>(
    _ method: Method.Type, _ params: Method.Params
  ) async throws -> Method.Result {
    if let error = state.withLock({ $0.errors[Method.name] }) { throw error }
    guard let result = try answer(params, Method.name) as? Method.Result else {
      throw ControlError(.methodNotFound, Method.name)
    }
    return result
  }

  private func answer(_ params: Any, _ method: String) throws -> Any {
    switch params {
    case let params as AddTransfers.Params: return try add(params)
    case let request as FleetRequest:
      record(.fleet(request))
      return state.withLock { $0.fleet }
    case let params as AddURLs.Params:
      if let on = params.on { record(.on(on)) }
      let added = try add(.init(transfers: params.transfers, requestID: params.requestID))
      return AddURLs.Result(runs: IDRuns(added.ids))
    case let viewport as Viewport where method == ListTransfers.name: return list(viewport)
    case let viewport as Viewport:
      record(.subscribe(viewport))
      return Nothing()
    case let params as ListIDs.Params:
      record(.listIDs(params.filter))
      return ListIDs.Result(runs: IDRuns(state.withLock { $0.taken(params.filter).map(\.id) }))
    case let search as RowSearch:
      record(.find(search))
      let test = RowTest(search.wanted)
      let index = state.withLock { $0.rows.firstIndex { test.passes($0) } }
      return FindTransfer.Result(
        found: index.map { index in
          FoundRow(
            id: state.withLock { $0.rows[index].id }, index: index, hasWrapped: false)
        })
    case let params as DescribeTransfer.Params:
      record(.describe(params.id))
      let row = state.withLock { state in
        state.descriptions.isEmpty
          ? state.rows.first { $0.id == params.id } : state.descriptions.removeFirst()
      }
      guard let row else {
        throw ControlError(.unknownTransfer, params.id.description)
      }
      return TransferDetails(snapshot: row)
    case let params as ListMembers.Params:
      let members = state.withLock { $0.members }
      return ListMembers.Result(
        members: members.enumerated().dropFirst(Int(params.from)).map { index, member in
          NumberedMember(number: Int64(index), member: member)
        })
    case let params as ControlTransfers.Params: return control(params)
    case let params as RelinkTransfer.Params:
      record(.relink(params.id, url: params.url.text, params.login))
      return refusing(.ids([params.id]))
    case let params as BeginTransfer.Params:
      record(.begin(params.id))
      return state.withLock { $0.begun ?? BeginTransfer.Result(id: params.id) }
    case let params as LimitSpeed.Params:
      record(.limit(params.selection, params.bytesPerSecond))
      return refusing(params.selection)
    case let params as AssignTransfers.Params: return assign(params)
    default: return try answerOther(params, method)
    }
  }

  private func answerOther(_ params: Any, _ method: String) throws -> Any {
    switch params {
    case let params as FindURLs.Params:
      let rows = state.withLock { state in
        state.sought.append(params.urls)
        return state.rows
      }
      return FindURLs.Result(
        found: rows.filter { params.urls.contains($0.url) }
          .map { .init(url: $0.url, id: $0.id, state: $0.state) })
    case let params as FollowTransfer.Params:
      record(.follow(params.id, params.transfer))
      return state.withLock { state in
        state.followed.isEmpty
          ? FollowTransfer.Result(.follows, parts: []) : state.followed.removeFirst()
      }
    case let params as VerifyTransfers.Params:
      record(
        .verify(
          params.ids, since: params.since, ageMax: params.ageMaxMilliseconds, params.consequence))
      return VerifyTransfers.Result(
        progress: state.withLock { $0.verified.removeFirst() }, since: Self.verifiedSince)
    case let params as FinishEvents.Params:
      record(method == AdoptSession.name ? .adopt(params.session) : .drop(params.session))
      let rows = state.withLock { $0.rows }
      return AdoptSession.Result(
        ids: rows.map(\.id),
        finished: rows.compactMap { row in
          guard row.state == .completed, let path = row.path else { return nil }
          return FinishedTransfer(id: row.id, path: path)
        })
    case let params as ReloadConfiguration.Params:
      record(.reload(withoutFile: params.withoutFile))
      return state.withLock { $0.reloaded }
    case let params as ResetHost.Params:
      record(.resetHost(params.host))
      let origins = state.withLock { $0.hosts.map(\.origin) }
      return ResetHost.Result(origins: origins.filter { $0.contains(params.host) })
    case let params as UndoAction.Params:
      record(.undo(params.number))
      return state.withLock { $0.undone.isEmpty ? .init() : $0.undone.removeFirst() }
    case let params as WatchEvents.Params:
      watch(params)
      return Nothing()
    case is Nothing: return try answerWithoutParams(method)
    default: throw ControlError(.methodNotFound, method)
    }
  }

  private func answerWithoutParams(_ method: String) throws -> Any {
    switch method {
    case ResetTransfers.name:
      record(.reset)
      return state.withLock { $0.resetResult }
    case ServiceStatus.name:
      record(.status)
      var totals = Totals()
      for row in state.withLock({ $0.rows }) { totals.counts[row.state, default: 0] += 1 }
      totals.freeBytes = 195_421_011_968
      return ServiceStatus.Result(
        serviceVersion: "0.1.0", processID: 4711,
        startedAt: WallTime(millisecondsSince1970: FakeClock.start),
        storePath: "/home/anna/.local/state/kettle/store.sqlite", totals: totals,
        notices: state.withLock { $0.notices })
    case ListHosts.name: return ListHosts.Result(hosts: state.withLock { $0.hosts })
    case ListQueues.name: return ListQueues.Result(queues: state.withLock { $0.queues })
    case ListBin.name: return ListBin.Result(actions: state.withLock { $0.bin })
    case EmptyBin.name:
      record(.emptyBin)
      return state.withLock { state in
        defer { state.bin = [] }
        return EmptyBin.Result(actions: state.bin)
      }
    case ReportNews.name:
      record(.news)
      return ReportNews.Result(news: state.withLock { $0.news })
    case SumFinished.name:
      return SumFinished.Result(completedCount: 0, completedByteCount: 0)
    case ListSessions.name: return ListSessions.Result(sessions: state.withLock { $0.sessions })
    case DescribeRPC.name: return state.withLock { $0.rpc }
    case StopService.name:
      record(.stop)
      end()
      return Nothing()
    default: throw ControlError(.methodNotFound, method)
    }
  }

  private func assign(_ params: AssignTransfers.Params) -> ControlTransfers.Result {
    record(.assign(params.selection, params.queue))
    return refusing(params.selection)
  }

  private func record(_ asked: Asked) { state.withLock { $0.asked.append(asked) } }

  private func refusing(_ selection: TransferSelection) -> ControlTransfers.Result {
    state.withLock { state in
      switch selection {
      case .all, .matching: return ControlTransfers.Result(applied: [], refused: [])
      case .ids(let ids):
        let refusedIDs = Set(state.refused.map(\.id))
        return ControlTransfers.Result(
          applied: ids.filter { !refusedIDs.contains($0) }, refused: state.refused)
      }
    }
  }

  /// Like the service, returns the first reply again for a known request id.
  private func add(_ params: AddTransfers.Params) throws -> AddTransfers.Result {
    let (result, isLost) = added(params)
    let whenAdded = state.withLock { $0.whenAdded }
    for spec in params.transfers { whenAdded?(spec) }
    if isLost { throw ClientError.connectionLost }
    return result
  }

  private func added(_ params: AddTransfers.Params) -> (AddTransfers.Result, isLost: Bool) {
    state.withLock { state in
      let specs = params.transfers
      if let on = params.on { state.asked.append(.on(on)) }
      if let paths = params.paths { state.asked.append(.at(paths.map(\.text))) }
      state.asked.append(.add(specs))
      if let known = params.requestID.flatMap({ state.added[$0] }) { return (known, false) }
      var ids: [TransferID] = []
      for spec in specs {
        let id = (state.rows.map(\.id.rawValue).max() ?? 0) + 1
        ids.append(TransferID(rawValue: id))
        var row = snapshot(id, .queued, url: spec.url.text)
        if let title = spec.title { row.title = title }
        if spec.beginning == .idle { row.state = .idle }
        if spec.beginning == .paused { row.state = .paused }
        if let collection = spec.options.collection {
          row.state = .paused
          row.collection = CollectionProgress(collection)
          row.collection?.memberCount = state.members.count
        }
        state.rows.append(row)
      }
      let result = AddTransfers.Result(ids: ids)
      if let requestID = params.requestID { state.added[requestID] = result }
      defer { state.losesReply = false }
      return (result, state.losesReply)
    }
  }

  /// Loses the reply to the next new add request.
  func loseReply() { state.withLock { $0.losesReply = true } }

  private func list(_ viewport: Viewport) -> RowWindow {
    state.withLock { state in
      state.asked.append(.list(viewport))
      let matching = state.taken(viewport.filter)
      let rows = Array(matching.dropFirst(viewport.first).prefix(viewport.count))
      return RowWindow(
        first: viewport.first, matchingCount: matching.count, rows: rows, totals: Totals())
    }
  }

  private func control(_ params: ControlTransfers.Params) -> ControlTransfers.Result {
    state.withLock { state in
      state.asked.append(.control(params.control, params.selection))
      let refusedIDs = Set(state.refused.map(\.id))
      let applied =
        switch params.selection {
        case .ids(let ids): ids.filter { !refusedIDs.contains($0) }
        case .all: state.rows.map(\.id)
        case .matching(_, let except): state.rows.map(\.id).filter { !except.contains($0) }
        }
      switch params.control {
      case .remove, .removeWithFile: state.rows.removeAll { applied.contains($0.id) }
      case .start, .startFresh, .pause, .stop, .accept, .remember, .verify, .repair: break
      }
      return ControlTransfers.Result(
        applied: applied, refused: state.refused, keptFiles: state.keptFiles, bin: state.binBytes)
    }
  }

  private func watch(_ params: WatchEvents.Params) {
    let (events, ends) = state.withLock { state in
      state.asked.append(
        .watch(
          includesProgress: params.includesProgress,
          gathersCompleted: params.gathersCompleted == true))
      defer {
        state.onWatch = []
        state.endsAfterWatch = false
      }
      return (state.onWatch, state.endsAfterWatch)
    }
    for event in events { send(event) }
    if ends { end() }
  }
}

func snapshot(
  _ id: Int64, _ state: TransferState, url: String = "https://example.org/file.iso",
  title: String? = nil
) -> TransferSnapshot {
  TransferSnapshot(
    id: TransferID(rawValue: id), session: .kettle, taskIdentifier: id,
    title: title ?? "file.iso", url: url, state: state,
    createdAt: WallTime(millisecondsSince1970: FakeClock.start))
}

func event(_ row: TransferSnapshot, _ kind: TransferEvent.Kind = .stateChanged) -> TransferEvent {
  TransferEvent(
    kind: kind, id: row.id, at: WallTime(millisecondsSince1970: FakeClock.start), snapshot: row)
}
