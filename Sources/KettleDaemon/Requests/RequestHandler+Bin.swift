import KettleControl
import KettleEngine
import KettleModel

/// Requests about what can be undone.
extension RequestHandler {
  func answerBinRequest(
    _ request: ControlRequest, id: RequestID
  ) async throws(ControlError) -> [UInt8] {
    switch request {
    case .listBin: return coder.encode(result: ListBin.Result(actions: try await bin()), to: id)
    case .undo(let params):
      return coder.encode(result: try await undo(params), to: id)
    case .emptyBin:
      let actions = try await bin()
      await engine.emptyBin()
      return coder.encode(result: EmptyBin.Result(actions: actions), to: id)
    case .hello, .add, .addURLs, .list, .listIDs, .find, .findURLs, .follow, .describe, .control,
      .relink,
      .limit, .move, .prioritize, .assign, .listQueues, .clear, .news, .reset, .listHosts,
      .resetHost, .forgetHost,
      .subscribe, .watch, .status, .stop, .reload, .describeRPC, .attachSession, .listSessions,
      .finishEvents,
      .adoptSession, .dropSession, .cancelTasks, .acknowledgeTasks, .updateTask, .answerChallenge:
      throw ControlError(.internalError, request.method)
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
      busy: undone.busy, uncoveredCount: undone.uncoveredCount)
  }
}
