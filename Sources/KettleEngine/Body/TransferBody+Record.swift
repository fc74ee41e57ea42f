import KettleSystem
import KettleModel

/// What of the file is on record, and who puts it there.
///
/// A fast transfer has a hundred checkpoints a second, in which nothing but the number of its bytes
/// changes. To ask the engine each time costs more than to write the number down. So the engine,
/// when it has put one checkpoint on record, leaves those that follow to the thread that makes
/// them, under the stamp of that one. It takes that back before any other change of the transfer
/// goes to the journal, which would be older otherwise than what is on record.
extension TransferBody {
  // MARK: By the engine

  /// What is being put on record may be the last that the engine does itself.
  func leaveRecording() { state.withLock { $0.recorder = .engineOnceMore } }

  /// Ends that. Answers what was put on record since; nil when nothing was.
  func takeOverRecording() -> Recorded? {
    state.withLock { state in
      defer { state.recorder = .engine }
      guard case .queue(_, let latest) = state.recorder else { return nil }
      return latest
    }
  }

  /// What was put on record without the engine; nil when nothing was.
  var recorded: Recorded? {
    state.withLock { state in
      guard case .queue(_, let latest) = state.recorder else { return nil }
      return latest
    }
  }

  /// This is on record. Answers the attempts that were held back and may go on; nobody when it is
  /// not what was synced last, but what an earlier run of the transfer left to be recorded.
  ///
  /// - Parameter next: asked for the stamp of the next ones, when the engine leaves them.
  func confirm(
    _ held: HeldRanges, next: () -> ProgressStamp? = { nil }
  ) -> Set<AttemptID> {
    let confirmed = state.withLock { state in
      let confirmed = state.confirm(held)
      if confirmed != nil, case .engineOnceMore = state.recorder {
        state.recorder = next().map { .queue($0, latest: nil) } ?? .engine
      }
      return confirmed
    }
    return goOn(confirmed)
  }

  // MARK: By the thread that made a checkpoint

  /// Under which it goes on record without the engine; nil when the engine is to be asked.
  var progressStamp: ProgressStamp? {
    state.withLock { state in
      guard case .queue(let stamp, _) = state.recorder else { return nil }
      return stamp
    }
  }

  /// This is on record under that stamp. Answers who may go on; nil when the engine has taken over
  /// meanwhile, so that the stamp may count no more.
  func confirm(
    _ held: HeldRanges, _ stamp: ProgressStamp, at now: MonotonicTime
  ) -> Set<AttemptID>? {
    let confirmed = state.withLock { state -> (goOn: Set<AttemptID>, asks: Bool)?? in
      guard case .queue(stamp, _) = state.recorder else { return nil }
      state.recorder = .queue(stamp, latest: Recorded(held: held, at: now))
      return .some(state.confirm(held))
    }
    return confirmed.map(goOn)
  }

  private func goOn(_ confirmed: (goOn: Set<AttemptID>, asks: Bool)?) -> Set<AttemptID> {
    guard let confirmed else { return [] }
    if confirmed.asks { askForCheckpoint(self) }
    return confirmed.goOn
  }
}
