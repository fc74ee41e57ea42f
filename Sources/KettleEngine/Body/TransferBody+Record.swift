import KettleModel
import KettleSystem

/// Tracks which bytes are recorded, and which thread records them.
///
/// A fast transfer makes a hundred checkpoints a second, in which only the number of its bytes
/// changes. Calling the engine each time costs more than recording the number. So after the engine
/// has recorded one checkpoint, the threads that make the following ones record them, under that
/// checkpoint's stamp. The engine takes recording back before any other change of the transfer goes
/// to the journal. Otherwise that change would be older than what is recorded.
extension TransferBody {
  // MARK: By the engine

  /// Lets this body record its own checkpoints after the current one.
  func leaveRecording() { state.withLock { $0.recorder = .engineOnceMore } }

  /// Takes recording back. Returns what the body recorded in the meantime, or nil.
  func takeOverRecording() -> Recorded? {
    state.withLock { state in
      defer { state.recorder = .engine }
      guard case .queue(_, let latest) = state.recorder else { return nil }
      return latest
    }
  }

  /// What the body recorded without the engine, or nil.
  var recorded: Recorded? {
    state.withLock { state in
      guard case .queue(_, let latest) = state.recorder else { return nil }
      return latest
    }
  }

  /// Confirms that `held` is recorded. Returns the held-back attempts that may continue; empty when
  /// `held` is not the latest sync but left over from an earlier run of the transfer.
  ///
  /// - Parameter next: returns the stamp for the next checkpoints, when the engine hands over
  ///   recording.
  func confirm(
    _ held: ByteRangeSet, next: () -> ProgressStamp? = { nil }
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

  /// The stamp for recording without the engine; nil when the engine must record.
  var progressStamp: ProgressStamp? {
    state.withLock { state in
      guard case .queue(let stamp, _) = state.recorder else { return nil }
      return stamp
    }
  }

  /// Confirms that `held` is recorded under `stamp`. Returns the attempts that may continue; nil
  /// when the engine has taken recording back meanwhile, so the stamp may no longer be valid.
  func confirm(
    _ held: ByteRangeSet, _ stamp: ProgressStamp, at now: MonotonicTime
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
