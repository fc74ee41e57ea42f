import KettleScheduler
import KettleModel

/// What people do to the list itself.
extension TransferEngine {
  /// Moves transfers in the order of the list; answers when the store has it.
  package func move(
    _ ids: [TransferID], _ move: Brain.Move
  ) async -> [Brain.ControlResult] {
    await keepingAwake {
      await wake(ids)
      await wakeNeighbours(of: ids, move.side)
      let now = clock.now()
      let (results, turn) = brain.move(ids, move, at: now)
      let changed = Set(turn.changed)
      for id in Set(ids) where changed.contains(id) {
        live[id, default: begun(id)].note(HistoryText.of(move), at: now.wall)
      }
      await runDurably(turn, at: now).value()
      return results
    }
  }

  /// Brings those into memory that stand right before or behind, where the store has them alone.
  private func wakeNeighbours(of ids: [TransferID], _ side: ListSide) async {
    // The store is to have what was moved before.
    await kept()
    let places = ids.compactMap { brain.machines[$0].map { QueuePlace($0.record) } }
    _ = await wake { archive in try archive.neighbours(of: places, side) }
  }

  /// Takes what is finished out of view for good, with every record kept.
  ///
  /// - Returns: how many they were.
  package func clearFinished() async -> Int {
    let now = clock.now()
    let (count, turn) = brain.clearFinished()
    guard count > 0, let clearedUpTo = brain.clearedUpTo else { return 0 }
    await runDurably(turn, at: now).value()
    observer(.cleared(upTo: clearedUpTo))
    return count
  }

  // MARK: Details

  package func details(of id: TransferID) async -> EngineDetails? {
    await keepingAwake {
      await wake([id])
      return detailsOfAwake(id)
    }
  }

  private func detailsOfAwake(_ id: TransferID) -> EngineDetails? {
    noteRecorded(of: id)
    guard let machine = brain.machines[id], let snapshot = snapshot(of: id) else { return nil }
    let known = live[id] ?? begun(id)
    return EngineDetails(
      snapshot: snapshot, record: machine.record,
      directory: rows.directory(of: machine.record.spec), currentURL: known.currentURL,
      redirects: known.redirects, connections: connections(of: id, machine.fetch),
      recentSpeeds: known.recentSpeeds.seconds, head: known.lastHead,
      history: known.history)
  }

  /// In the order of the file; those that have no answer yet come last.
  private func connections(of id: TransferID, _ fetch: Fetch?) -> [LiveConnection] {
    let progress = bodies[id]?.body?.progress ?? [:]
    return (fetch?.lanes ?? []).compactMap { lane in
      let receivedUpTo = max(lane.receivedUpTo, progress[lane.attempt] ?? 0)
      switch lane.phase {
      case .leaving: return nil
      case .asking:
        return LiveConnection(
          range: nil, receivedUpTo: receivedUpTo, bytesPerSecond: 0, url: lane.url)
      case .flowing:
        // Only the end tells how long it is when the size is not known.
        return LiveConnection(
          range: .init(
            lower: lane.range?.lower ?? lane.asked?.lower ?? 0, upper: lane.range?.upper),
          receivedUpTo: receivedUpTo, bytesPerSecond: lane.speed.bytesPerSecond, url: lane.url)
      }
    }
    .sorted { ($0.range?.lower ?? .max) < ($1.range?.lower ?? .max) }
  }
}

extension Brain.Move {
  /// Where those are who make room.
  fileprivate var side: ListSide {
    switch self {
    case .up, .toTop: .before
    case .down, .toBottom: .after
    }
  }
}
