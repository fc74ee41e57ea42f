#if Fleet
import KettleControl
import KettleFleet
import KettleModel

/// Handles requests to verify and repair published files. The host of each file does the work.
struct FleetFiles {
  let queue: FleetQueue

  /// More files are asked for in several questions.
  private static let countMax = 1000

  /// Says how far the comparison of each file is.
  func verify(
    _ params: VerifyTransfers.Params
  ) async throws(ControlError) -> VerifyTransfers.Result {
    let request = FileErrandRequest(
      ids: params.ids.map(FleetTransferID.init), since: params.since,
      ageMaxMilliseconds: max(0, params.ageMaxMilliseconds ?? 0),
      consequence: .init(params.consequence))
    let reply = try await queue.ask { board throws(FleetError) in try board.compare(request) }
    guard reply.files.count == params.ids.count else {
      throw ControlError(.internalError, VerifyTransfers.name)
    }
    return VerifyTransfers.Result(
      progress: zip(params.ids, reply.files).map { VerificationProgress($1, of: $0) },
      since: reply.since)
  }

  /// Has the files of a selection compared. Their rows show what was found.
  func compare(
    _ selection: TransferSelection, _ consequence: FileErrandRequest.Consequence
  ) async throws(ControlError) -> ControlTransfers.Result {
    let ids: [FleetTransferID]
    switch selection {
    case .ids(let named): ids = named.map(FleetTransferID.init)
    case .all: ids = try await completed(in: RowFilter())
    case .matching(let filter, let except):
      let left = Set(except.map(FleetTransferID.init))
      ids = try await completed(in: filter).filter { !left.contains($0) }
    }
    var result = ControlTransfers.Result(applied: [], refused: [])
    for start in stride(from: 0, to: ids.count, by: Self.countMax) {
      let some = Array(ids[start..<min(start + Self.countMax, ids.count)])
      let request = FileErrandRequest(ids: some, consequence: consequence)
      let reply = try await queue.ask { board throws(FleetError) in try board.compare(request) }
      for (id, file) in zip(some.map(TransferID.init), reply.files) {
        if file?.isAsked == true {
          result.applied.append(id)
        } else {
          result.refused.append(
            ControlRefusal(id: id, why: file == nil ? .unknown : .noFinishedFile))
        }
      }
    }
    return result
  }

  private func completed(in filter: RowFilter) async throws(ControlError) -> [FleetTransferID] {
    var wanted = try FleetFilter(filter)
    guard wanted.states?.contains(.completed) ?? true else { return [] }
    wanted.states = [.completed]
    let asked = wanted
    return try await queue.ask { board throws(FleetError) in try board.ids(matching: asked) }
  }
}

extension FileErrandRequest.Consequence {
  /// nil for a control that does not concern published files.
  init?(_ control: ControlVerb) {
    switch control {
    case .verify: self = .report
    case .repair: self = .repair
    case .start, .pause, .stop, .remove, .startFresh, .accept, .remember, .removeWithFile:
      return nil
    }
  }

  init(_ consequence: VerificationConsequence) {
    self =
      switch consequence {
      case .report: .report
      case .repair: .repair
      case .repairEvenIfEdited: .repairEvenIfEdited
      }
  }
}

extension VerificationProgress {
  /// How far the comparison of a published file is.
  init(_ standing: FileErrandRequest.Standing?, of id: TransferID) {
    guard let standing else {
      self = .refused
      return
    }
    let absent = FileCheck(
      .unreadable, at: WallTime(millisecondsSince1970: 0),
      detail: standing.machine.map { "its machine, \($0), does not answer" }
        ?? "its machine has left the fleet")
    self =
      switch (standing.state, standing.isAsked) {
      case (.completed, _) where !standing.isAlive: .ended(absent)
      case (.completed, true): .waiting
      case (.completed, false): standing.check.map(Self.ended) ?? .refused
      case (.failed, true), (.idle, true):
        .unrepaired(
          standing.check ?? absent,
          standing.failure ?? TransferFailure(.cancelled, on: id.description))
      case (.queued, true), (.claimed, true), (.placing, true), (.paused, true):
        .repairing(by: id)
      case (.queued, false), (.claimed, false), (.placing, false), (.paused, false),
        (.failed, false), (.idle, false):
        .refused
      }
  }
}
#endif
