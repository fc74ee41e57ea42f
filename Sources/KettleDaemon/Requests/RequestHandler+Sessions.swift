import KettleControl
import KettleEngine
import KettleModel
import KettleScheduler

/// Requests from programs of sessions, and requests from people about sessions.
extension RequestHandler {
  func answerSessionRequest(
    _ request: ControlRequest, id: RequestID, for client: ConnectedClient
  ) async throws(ControlError) -> [UInt8] {
    switch request {
    case .attachSession(let params):
      return coder.encode(result: try await attach(params, client), to: id)
    case .listSessions:
      return coder.encode(result: ListSessions.Result(sessions: sessions.summaries), to: id)
    case .finishEvents(let params):
      try sessions.finishEvents(of: params.session, by: client.id)
      return coder.encode(result: Nothing(), to: id)
    case .adoptSession(let params):
      let ids = try await sessions.remove(params.session, by: client.id) { [engine] in
        await engine.adopt(params.session)
      }
      let finished = await finished(of: ids)
      return coder.encode(result: AdoptSession.Result(ids: ids, finished: finished), to: id)
    case .dropSession(let params):
      let ids = try await sessions.remove(params.session, by: client.id) { [engine] in
        await engine.drop(params.session)
      }
      return coder.encode(result: DropSession.Result(ids: ids), to: id)
    case .cancelTasks(let params):
      return coder.encode(result: try await cancel(params, client.id), to: id)
    case .acknowledgeTasks(let params):
      return coder.encode(result: try await acknowledge(params, client.id), to: id)
    case .updateTask(let params):
      try await update(params, client.id)
      return coder.encode(result: Nothing(), to: id)
    case .answerChallenge(let params):
      return coder.encode(result: try await answer(params, client.id), to: id)
    case .hello, .add, .addURLs, .list, .listIDs, .find, .findURLs, .follow, .verify,
      .syncCollection, .compareCollection, .listMembers, .chooseMembers, .describe, .control,
      .relink, .begin, .limit,
      .move, .prioritize, .assign, .listQueues, .clear, .news, .sum, .reset, .listHosts,
      .resetHost, .forgetHost, .listBin, .undo, .emptyBin, .subscribe, .watch, .status, .stop,
      .reload, .describeRPC, .fleet:
      throw ControlError(.internalError, request.method)
    }
  }

  private func finished(of ids: [TransferID]) async -> [FinishedTransfer] {
    var finished: [FinishedTransfer] = []
    for id in ids {
      guard let snapshot = await engine.details(of: id)?.snapshot, snapshot.state == .completed,
        let path = snapshot.path
      else { continue }
      finished.append(FinishedTransfer(id: id, path: path))
    }
    return finished
  }

  /// Returns the tasks of the session. The reply takes its place among the events when the tasks
  /// are read: no event that is older than them follows it, and none that is newer precedes it.
  private func attach(
    _ params: AttachSession.Params, _ client: ConnectedClient
  ) async throws(ControlError) -> AttachSession.Result {
    try await sessions.attach(client, params)
    let tasks = await engine.tasks(
      of: params.session, markingWith: { client.mailbox.reserveReply() })
    return AttachSession.Result(
      tasks: tasks.map { SessionTask(snapshot: $0.snapshot, spec: $0.spec) },
      lastTaskIdentifier: await engine.lastTaskIdentifier(of: params.session))
  }

  // MARK: Tasks

  /// To a program, a transfer that is not a task is as unknown as one that was removed.
  private func cancel(
    _ params: CancelTasks.Params, _ client: ClientID
  ) async throws(ControlError) -> CancelTasks.Result {
    let known = try sessions.requireProgram(client, of: params.ids)
    let ids = params.ids.filter(known.contains)
    let results = await engine.cancelTasks(ids, keepsBytes: params.keepsBytes)
    var outcome = Self.result(of: ids, results)
    outcome.refused += params.ids.filter { !known.contains($0) }.map {
      .init(id: $0, why: .unknown)
    }
    return outcome
  }

  private func acknowledge(
    _ params: AcknowledgeTasks.Params, _ client: ClientID
  ) async throws(ControlError) -> AcknowledgeTasks.Result {
    let known = try sessions.requireProgram(client, of: params.ids)
    let ids = params.ids.filter(known.contains)
    if params.onlyTokens == true {
      return AcknowledgeTasks.Result(tokens: await engine.makeTokens(for: ids))
    }
    let tokens = await engine.acknowledgeTasks(ids, keepsResumeData: params.keepsResumeData)
    return AcknowledgeTasks.Result(tokens: params.keepsResumeData ? tokens : [])
  }

  private func update(
    _ params: UpdateTask.Params, _ client: ClientID
  ) async throws(ControlError) {
    let unknown = ControlError(.unknownTransfer, params.id.description)
    guard try sessions.requireProgram(client, of: [params.id]) == [params.id] else {
      throw unknown
    }
    var changes = TaskChanges()
    changes.programData = params.programData
    changes.title = params.title
    changes.subtitle = params.subtitle
    changes.priority = params.priority
    changes.notBefore = params.notBefore
    changes.asksBeforeBeginning = params.asksBeforeBeginning
    changes.expectedSendByteCount = params.expectedSendByteCount
    changes.expectedReceiveByteCount = params.expectedReceiveByteCount
    changes.delivered = params.delivered
    switch await engine.updateTask(params.id, changes) {
    case .refused(.unknown): throw unknown
    // A finished task no longer changes, and the requesting program is about to be notified.
    case .applied, .refused: break
    }
  }

  private func answer(
    _ params: AnswerChallenge.Params, _ client: ClientID
  ) async throws(ControlError) -> AnswerChallenge.Result {
    guard try sessions.requireProgram(client, of: [params.id]) == [params.id] else {
      return AnswerChallenge.Result(applied: [], refused: [.init(id: params.id, why: .unknown)])
    }
    return Self.result(
      of: [params.id],
      [await engine.answerChallenge(of: params.id, params.challenge, params.answer)])
  }
}

extension ControlError {
  init(_ error: EngineError) {
    switch error {
    case .cannotKeep(let detail): self.init(.cannotKeep, detail)
    case .stopping: self.init(.stopping, "")
    }
  }
}
