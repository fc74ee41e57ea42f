import KettleControl
import KettleEngine
import KettleModel

/// Requests about the user's queues.
extension RequestHandler {
  func assign(
    _ params: AssignTransfers.Params
  ) async throws(ControlError) -> AssignTransfers.Result {
    try await require(params.queue)
    let ids: [TransferID]
    switch params.selection {
    case .ids(let named): ids = named
    case .all: ids = try await broadcaster.matching(RowFilter(session: .kettle), except: [])
    case .matching(let filter, let except):
      ids = try await broadcaster.matching(filter, except: except)
    }
    return Self.result(of: ids, await engine.assign(ids, to: params.queue))
  }

  func listQueues() async throws(ControlError) -> ListQueues.Result {
    var queues = await engine.queues
    for index in queues.indices {
      let filter = RowFilter(states: [.queued], queue: queues[index].name)
      queues[index].queuedCount = try await broadcaster.matching(filter, except: []).count
    }
    return ListQueues.Result(queues: queues)
  }

  /// Throws unless the configuration file has the queue.
  func require(_ queue: QueueName) async throws(ControlError) {
    guard await engine.hasQueue(queue) else { throw ControlError(.unknownQueue, queue.text) }
  }

  /// Adds to the groups of queues how these are.
  func described(_ groups: [ListedGroup]?) async -> [ListedGroup]? {
    guard let groups, groups.contains(where: \.group.isQueue) else { return groups }
    let queues = await engine.queues
    return groups.map { $0.described(by: queues) }
  }
}

extension ListedGroup {
  /// Returns the group with its queue, if it stands for one of these.
  fileprivate func described(by queues: [QueueSnapshot]) -> ListedGroup {
    guard case .queue(let name) = group else { return self }
    var group = self
    group.queue = queues.first { $0.name == name }
    return group
  }
}

extension ListGroup {
  fileprivate var isQueue: Bool {
    switch self {
    case .queue: true
    case .work, .noQueue, .directory: false
    }
  }
}

/// Requests about files: what can be undone, what finished files contain, and collections.
extension RequestHandler {
  func answerFileRequest(
    _ request: ControlRequest, id: RequestID
  ) async throws(ControlError) -> [UInt8] {
    switch request {
    case .verify(let params): return coder.encode(result: try await verify(params), to: id)
    case .syncCollection(let params): return coder.encode(result: try await sync(params), to: id)
    case .compareCollection(let params):
      return coder.encode(result: try await compare(params), to: id)
    case .listMembers(let params):
      return coder.encode(result: try await members(params), to: id)
    case .chooseMembers(let params):
      try await choose(params)
      return coder.encode(result: Nothing(), to: id)
    case .listBin: return coder.encode(result: ListBin.Result(actions: try await bin()), to: id)
    case .undo(let params):
      return coder.encode(result: try await undo(params), to: id)
    case .emptyBin:
      let actions = try await bin()
      await engine.emptyBin()
      return coder.encode(result: EmptyBin.Result(actions: actions), to: id)
    case .hello, .add, .addURLs, .list, .listIDs, .find, .findURLs, .follow, .describe,
      .control,
      .relink, .begin,
      .limit, .move, .prioritize, .assign, .listQueues, .clear, .news, .sum, .reset, .listHosts,
      .resetHost, .forgetHost,
      .subscribe, .watch, .status, .stop, .reload, .describeRPC, .attachSession, .listSessions,
      .finishEvents,
      .adoptSession, .dropSession, .cancelTasks, .acknowledgeTasks, .updateTask, .answerChallenge,
      .fleet:
      throw ControlError(.internalError, request.method)
    }
  }

  private func verify(
    _ params: VerifyTransfers.Params
  ) async throws(ControlError) -> VerifyTransfers.Result {
    guard params.ids.count <= VerifyTransfers.idCountMax else {
      throw ControlError(.invalidParams, "ids")
    }
    let age = max(0, params.ageMaxMilliseconds ?? 0)
    let since = params.since ?? engine.now.advanced(byMilliseconds: -age)
    return VerifyTransfers.Result(
      progress: await engine.verify(
        params.ids, since: since, repairsSince: since, params.consequence), since: since)
  }

  private func sync(
    _ params: SyncCollection.Params
  ) async throws(ControlError) -> SyncCollection.Result {
    switch params.wish {
    case .now(let removesGone, let pauses):
      let list: TransferID?
      do throws(EngineError) {
        list = try await engine.sync(params.id, .init(removesGone: removesGone, pauses: pauses))
      } catch {
        throw ControlError(error)
      }
      guard let list else { throw ControlError(.unknownCollection, params.id.description) }
      return SyncCollection.Result(list: list)
    case .every(let milliseconds):
      guard milliseconds ?? .max >= SyncCollection.everyMillisecondsMin else {
        throw ControlError(.invalidParams, "every")
      }
      guard await engine.syncs(params.id, everyMilliseconds: milliseconds) else {
        throw ControlError(.unknownCollection, params.id.description)
      }
      return SyncCollection.Result(list: nil)
    }
  }

  private func compare(
    _ params: CompareCollection.Params
  ) async throws(ControlError) -> CompareCollection.Result {
    do {
      let sum =
        params.from == 0
        ? try await engine.sum(of: params.change, of: params.id, in: params.list) : nil
      let files = try await engine.changed(
        params.change, of: params.id, in: params.list, from: params.from,
        countMax: CollectionPage.countMax)
      return CompareCollection.Result(sum: sum, files: files)
    } catch {
      throw ControlError(.internalError, "\(error)")
    }
  }

  private func choose(_ params: ChooseMembers.Params) async throws(ControlError) {
    guard params.leftOut.allSatisfy({ $0.first <= $0.last }) else {
      throw ControlError(.invalidParams, "leftOut")
    }
    let isChosen: Bool
    do {
      isChosen = try await engine.choose(params.id, leavingOut: params.leftOut)
    } catch {
      throw ControlError(.internalError, "\(error)")
    }
    guard isChosen else { throw ControlError(.unknownCollection, params.id.description) }
  }

  private func members(
    _ params: ListMembers.Params
  ) async throws(ControlError) -> ListMembers.Result {
    do {
      return ListMembers.Result(
        members: try await engine.listedMembers(
          of: params.id, from: params.from, countMax: CollectionPage.countMax))
    } catch {
      throw ControlError(.internalError, "\(error)")
    }
  }

  private func bin() async throws(ControlError) -> [BinSnapshot] {
    do {
      return try await engine.binContents()
    } catch {
      throw ControlError(.internalError, "\(error)")
    }
  }

  private func undo(_ params: UndoAction.Params) async throws(ControlError) -> UndoAction.Result {
    let undone: TransferEngine.UndoOutcome?
    do {
      undone = try await engine.undo(params.number)
    } catch {
      throw ControlError(.internalError, "\(error)")
    }
    guard let undone else { return UndoAction.Result() }
    return UndoAction.Result(
      kind: undone.action.kind, at: undone.action.at, restored: IDRuns(undone.restored.sorted()),
      busy: undone.busy, busyByteCount: undone.busyByteCount > 0 ? undone.busyByteCount : nil,
      changedCount: undone.changedCount > 0 ? undone.changedCount : nil,
      uncoveredCount: undone.uncoveredCount)
  }
}

/// Requests for URLs that are on the list already.
extension RequestHandler {
  func follow(
    _ params: FollowTransfer.Params
  ) async throws(ControlError) -> FollowTransfer.Result {
    if let queue = params.transfer.options.queue { try await require(queue) }
    let asked = information.withoutOwnProxies(params.transfer)
    switch await engine.follow(params.id, as: asked) {
    case .follows(let parts): return .init(.follows, parts: parts)
    case .needsAnother(.transferGone): return .init(.transferGone)
    case .needsAnother(.otherFile): return .init(.otherFile)
    case .needsAnother(.fileGone): return .init(.fileGone)
    case .needsAnother(.fileChanged): return .init(.fileChanged)
    case .tooLate(let parts, let state):
      var result = FollowTransfer.Result(.tooLate, parts: parts)
      result.state = state
      return result
    case .mismatch(let path, let found):
      var result = FollowTransfer.Result(.mismatch)
      (result.path, result.found) = (path, found)
      return result
    case .unreadable(let failure):
      var result = FollowTransfer.Result(.unreadable)
      result.error = failure
      return result
    }
  }
}

/// Remembers the outcome of add requests, so that a request repeated after a lost reply adds
/// nothing twice. It lives as long as the service.
actor AddedRequests {
  typealias Outcome = Result<[TransferID], ControlError>

  private enum Entry {
    case underWay(Task<Outcome, Never>)
    case added(IDRuns)
  }

  private let countMax: Int
  private var entries: [String: Entry] = [:]
  /// The successful ones, oldest first.
  private var order: [String] = []

  init(countMax: Int = 100_000) { self.countMax = countMax }

  /// Adds, unless the request was already made. A failed request may be retried.
  func outcome(
    of requestID: String?, adding: @escaping @Sendable () async -> Outcome
  ) async -> Outcome {
    guard let requestID else { return await adding() }
    switch entries[requestID] {
    case .added(let runs): return .success(runs.ids)
    case .underWay(let task): return await task.value
    case nil: break
    }
    let task = Task(executorPreference: WorkerPool.tasks) { await adding() }
    entries[requestID] = .underWay(task)
    let outcome = await task.value
    switch outcome {
    case .success(let ids):
      entries[requestID] = .added(IDRuns(ids))
      order.append(requestID)
      forgetOldest()
    case .failure: entries[requestID] = nil
    }
    return outcome
  }

  /// Removes many at once, so that the array is not shifted for each.
  private func forgetOldest() {
    guard order.count > countMax + countMax / 8 else { return }
    let surplus = order.count - countMax
    for requestID in order.prefix(surplus) { entries[requestID] = nil }
    order.removeFirst(surplus)
  }
}

extension TransferDetails {
  /// Converts the engine's details to the protocol's.
  init(_ details: EngineDetails) {
    let record = details.record
    self.init(
      snapshot: details.snapshot,
      currentURL: details.currentURL == record.spec.url ? nil : details.currentURL?.text,
      partialPath: record.resumeData?.partialPath,
      held: record.resumeData?.durable ?? ByteRangeSet(),
      entityTag: record.resumeData?.validator?.entityTag,
      lastModified: record.resumeData?.validator?.lastModified,
      checksum: record.spec.checksum?.text, status: details.head?.status,
      headers: details.head?.headers ?? [], retryCount: record.retryCount,
      history: details.history)
    redirects = details.redirects.map(\.text)
    page = record.spec.page?.text
    directory = details.directory
    rule = record.spec.options.rule
    liveConnections = details.connections.map(ConnectionDetails.init)
    recentSpeeds = details.recentSpeeds
    resumedFromByteCount = details.resumedFromByteCount
    awaitsAnswer = details.awaitsAnswer
  }
}

extension ConnectionDetails {
  fileprivate init(_ connection: LiveConnection) {
    self.init(
      lower: connection.range?.lower, upper: connection.range?.upper,
      receivedUpTo: connection.receivedUpTo, bytesPerSecond: connection.bytesPerSecond,
      url: connection.url.text)
  }
}
