import KettleModel
import KettleScheduler

/// Operations on the list itself.
extension TransferEngine {
  /// Moves transfers in the list. Returns when the store has the change.
  package func move(
    _ ids: [TransferID], _ move: QueueMove
  ) async -> [TransferScheduler.ControlResult] {
    await withoutEviction {
      await load(ids)
      await wakeNeighbours(of: ids, move.side)
      let now = clock.now()
      let (results, output) = decide { $0.move(ids, move, at: now) }
      let changed = Set(output.changed)
      for id in Set(ids) where changed.contains(id) {
        live[id, default: begun(id)].note(.moved(way: move), at: now.wall)
      }
      await runDurably(output, at: now).value()
      return results
    }
  }

  /// Gives transfers each other's positions, so that they follow one another in this order. Returns
  /// when the store has the change.
  package func arrange(_ ids: [TransferID]) async {
    await withoutEviction {
      await load(ids)
      let now = clock.now()
      await runDurably(decide { $0.arrange(ids, at: now) }, at: now).value()
    }
  }

  /// Moves the durable bytes of a transfer that stopped for good to a new one of the same URL and
  /// directory. Returns whether there were any, when the store has the change.
  package func handOver(from old: TransferID, to heir: TransferID) async -> Bool {
    await withoutEviction {
      await load([old, heir])
      let now = clock.now()
      guard let output = decide({ $0.handOver(from: old, to: heir) }) else { return false }
      await runDurably(output, at: now).value()
      return true
    }
  }

  /// The limits for all transfers together.
  package var limits: TransferQueue.Limits { scheduler.queue.limits }

  /// Changes the limits until the service ends.
  package func setLimits(_ limits: TransferQueue.Limits) {
    apply { scheduler, now in scheduler.setLimits(limits, at: now) }
  }

  /// Sets the user's rules, and what downloads get without a choice.
  package func setRules(_ rules: [TransferRule], _ defaults: TransferDefaults) {
    let rules = TransferRules(
      rules, defaults: defaults, documentsDirectory: configuration.documentsDirectory)
    decide { $0.setRules(rules) }
  }

  /// Loads the transfers directly before or behind, if only the store has them.
  private func wakeNeighbours(of ids: [TransferID], _ side: ListSide) async {
    // The store must have the earlier moves first.
    await kept()
    let places = ids.compactMap { scheduler.machines[$0].map { QueuePosition($0.record) } }
    // The store may have an earlier state of these.
    let states = scheduler.machines.mapValues(\.visibleState)
    _ = await load { archive in
      try archive.neighbours(of: places, side) { id, stored in
        RowGroup(states[id] ?? stored, nil) == .next
      }
    }
  }

  /// Hides the finished transfers permanently. Keeps every record.
  ///
  /// - Returns: the number of hidden transfers.
  package func clearFinished() async -> Int {
    let now = clock.now()
    let (count, output) = decide { $0.clearFinished(at: now) }
    guard count > 0, let clearedUpTo = scheduler.clearedUpTo else { return 0 }
    await runDurably(output, at: now).value()
    observer(.cleared(upTo: clearedUpTo))
    return count
  }

  // MARK: Details

  package func details(of id: TransferID) async -> EngineDetails? {
    await withoutEviction {
      await load([id])
      return detailsOfResident(id)
    }
  }

  /// Returns the same about several transfers, without those that do not exist.
  package func details(of ids: [TransferID]) async -> [EngineDetails] {
    await withoutEviction {
      await load(ids)
      return ids.compactMap { detailsOfResident($0) }
    }
  }

  private func detailsOfResident(_ id: TransferID) -> EngineDetails? {
    guard let machine = scheduler.machines[id], let snapshot = snapshot(of: id) else { return nil }
    let known = live[id] ?? begun(id)
    let durableByteCount = machine.resumeData?.durable.byteCount ?? 0
    let hasAnswer = machine.download?.hasAnswer ?? false
    return EngineDetails(
      snapshot: snapshot, record: machine.record,
      directory: rows.directory(of: machine.spec), currentURL: known.currentURL,
      redirects: known.redirects, connections: connections(of: id, machine.download),
      recentSpeeds: known.recentSpeeds.seconds,
      resumedFromByteCount: machine.download?.durableAtStartByteCount ?? durableByteCount,
      awaitsAnswer: snapshot.state == .running && durableByteCount > 0 && !hasAnswer,
      head: known.lastHead,
      history: known.history)
  }

  /// The connections in file order. Those without a response come last.
  func connections(of id: TransferID, _ download: ActiveDownload?) -> [LiveConnection] {
    let progress = bodies[id]?.writer?.progress ?? [:]
    return (download?.connections ?? []).compactMap { connection in
      let receivedUpTo = max(connection.receivedUpTo, progress[connection.attempt] ?? 0)
      switch connection.phase {
      case .closing: return nil
      case .requesting:
        return LiveConnection(
          attempt: connection.attempt, range: nil, receivedUpTo: receivedUpTo, bytesPerSecond: 0,
          url: connection.url)
      case .receiving:
        // If the size is unknown, only the end reveals the length.
        return LiveConnection(
          attempt: connection.attempt,
          range: .init(
            lower: connection.range?.lower ?? connection.requested?.lower ?? 0,
            upper: connection.range?.upper),
          receivedUpTo: receivedUpTo, bytesPerSecond: connection.speed.bytesPerSecond,
          url: connection.url)
      }
    }
    .sorted { ($0.range?.lower ?? .max) < ($1.range?.lower ?? .max) }
  }
}

extension QueueMove {
  /// The side of the transfers that make room.
  fileprivate var side: ListSide {
    switch self {
    case .up, .toTop: .before
    case .down, .toBottom: .after
    }
  }
}

/// Requests about hosts.
extension TransferEngine {
  /// Every host that matters now, by name.
  package func hosts() -> [HostSnapshot] {
    scheduler.hosts(at: clock.now(), measurements)
  }

  /// Forgets what the user has decided for the hosts with this name.
  ///
  /// - Parameter name: a host, a host and port, or an origin.
  /// - Returns: the origins about which something was remembered.
  package func forgetHosts(named name: String) async -> [String] {
    await ask { scheduler, _ in scheduler.forgetHosts(named: name) }
  }

  /// Forgets what was learned about the hosts with this name.
  ///
  /// - Parameter name: a host, a host and port, or an origin.
  /// - Returns: the origins about which something was known.
  package func resetHosts(named name: String) -> [String] {
    let now = clock.now()
    let (origins, output) = decide { $0.resetHosts(named: name, at: now) }
    run(output, at: now)
    return origins
  }
}

/// What became of a request for a URL that is on the list.
package enum FollowOutcome: Hashable, Sendable {
  /// The transfer leads to what is asked. It has taken over these parts.
  case follows([RequestPart])
  /// The request means another file, or the file is not what was finished: a new transfer is
  /// needed.
  case needsAnother(Reason)
  /// These parts cannot be taken over any more, and nothing was.
  case tooLate([RequestPart], TransferState)
  /// The finished file does not have the checksum, and nothing was taken over.
  case mismatch(path: String, found: String)
  /// The finished file cannot be compared with the checksum.
  case unreadable(TransferFailure)

  package enum Reason: String, Hashable, Sendable, Codable {
    /// There is no such transfer any more.
    case transferGone
    /// It goes to another place, or belongs to another session.
    case otherFile
    case fileGone, fileChanged
  }
}

/// Requests for URLs that are on the list already.
extension TransferEngine {
  /// Lets a transfer take over what a new request for its URL asks, all or nothing, and starts it
  /// if it stands still. Returns when the store has the change.
  package func follow(_ id: TransferID, as asked: TransferSpec) async -> FollowOutcome {
    await withoutEviction {
      await load([id])
      guard let machine = scheduler.machines[id], !machine.isTask else {
        return .needsAnother(.transferGone)
      }
      let difference = RequestDifference(
        from: machine.spec, at: snapshot(of: id)?.path, to: asked)
      if difference.isForAnotherFile { return .needsAnother(.otherFile) }
      if machine.visibleState == .completed, let file = machine.record.finishedFile {
        if let problem = await problem(with: file, difference, asked) { return problem }
      }
      return await takeOver(difference, by: id)
    }
  }

  private func takeOver(_ difference: RequestDifference, by id: TransferID) async -> FollowOutcome {
    // A user may have changed it meanwhile.
    guard let machine = scheduler.machines[id] else { return .needsAnother(.transferGone) }
    let late = difference.parts(tooLateAt: machine.requestProgress)
    guard late.isEmpty else { return .tooLate(late, machine.visibleState) }
    let result = await controlResident(.takeOver(difference), [id], into: nil)
    return result == [.applied] ? .follows(difference.parts) : .needsAnother(.transferGone)
  }

  /// Compares a finished file with what is asked; nil if it is that.
  private func problem(
    with file: FinishedFile, _ difference: RequestDifference, _ asked: TransferSpec
  ) async -> FollowOutcome? {
    let checksum = asked.checksum
    let (standing, found) = await compare(
      file, needsDigest: difference.checksum != nil || file.verifiedBy == nil, checksum?.algorithm)
    switch (standing, found, checksum) {
    case (.missing, _, _): return .needsAnother(.fileGone)
    case (_, .success(let hex), let checksum?) where hex == checksum.hex: return nil
    case (.changed, _, _): return .needsAnother(.fileChanged)
    case (.unchanged, .success(let hex), .some):
      return .mismatch(path: file.path, found: hex)
    case (.unchanged, .failure(let failure), _): return .unreadable(failure)
    case (.unchanged, _, _): return nil
    }
  }

  /// - Parameter needsDigest: whether the digest of an unchanged file is not known.
  private func compare(
    _ file: FinishedFile, needsDigest: Bool, _ algorithm: Checksum.Algorithm?
  ) async -> (FinishedFileStanding, Result<String, TransferFailure>?) {
    await withCheckedContinuation { done in
      digestPool.async { [files] in
        let standing = files.standing(of: file)
        let isNeeded = standing == .changed || (standing == .unchanged && needsDigest)
        guard let algorithm, isNeeded else { return done.resume(returning: (standing, nil)) }
        let digest = Result { () throws(TransferFailure) in
          try files.digest(ofFileAt: file.path, algorithm: algorithm)
        }
        done.resume(returning: (standing, digest))
      }
    }
  }
}
