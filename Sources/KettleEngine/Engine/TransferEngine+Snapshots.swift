import KettleModel
import KettleScheduler
import Logging

/// Rows and details of transfers, and the events that report them to clients.
extension TransferEngine {
  /// Notifies the observer, but of a finished transfer only once the store has it, so that no
  /// program is notified twice. Returns the transfers to report later.
  func announce(_ output: SchedulerOutput, at now: Moment) -> [TransferID] {
    announceRemoved(output.removed)
    var later: [TransferID] = []
    for (id, connectionsMax) in output.learnedLimits {
      live[id].observed.note(
        .limitLearned(connectionsMax: connectionsMax), at: now.wall)
    }
    for id in Set(output.changed) {
      guard let machine = scheduler.machines[id] else { continue }
      live[id].observed.note(machine.record, at: now.wall)
      switch machine.telling {
      case .now: announceChange(of: id)
      case .whenDurable: later.append(id)
      case .whenAtRest: break
      }
    }
    return later
  }

  /// Notes that a start would continue from what goes to the bin.
  func noteKept(_ resumeData: ResumeData, of id: TransferID) {
    guard let number = resumeData.binAction, resumeData.durable.byteCount > 0,
      let action = scheduler.bin.actions.first(where: { $0.number == number }),
      action.kind == .stop
    else { return }
    live[id].observed.kept = KeptBytes(
      byteCount: resumeData.durable.byteCount, until: action.expiresAt)
  }

  func announceRemoved(_ removed: [TransferRecord]) {
    for record in removed {
      observer(.removed(rows.row(of: record)))
      live.remove(record.id)
    }
  }

  func announceChange(of id: TransferID) {
    if let snapshot = snapshot(of: id) { observer(.changed(snapshot)) }
  }

  // MARK: Rows

  func snapshot(of id: TransferID) -> TransferSnapshot? {
    guard let machine = scheduler.machines[id] else { return nil }
    let (body, known) = (live[id].body, live[id].observation)
    var snapshot = rows.basicRow(of: machine.record)
    // This includes a pause, until its last bytes are recorded. A stop discards them.
    if machine.visibleState != .idle, let byteCount = body?.fileByteCount {
      snapshot.bytesReceived = byteCount
    }
    // Before the file exists, no record has the length. A body that is being given up may never
    // have one.
    if machine.visibleState == .running, case .late(let late)? = body {
      snapshot.bytesExpected = late.writer.totalByteCount
    }
    if machine.visibleState == .running, let byteCount = known?.sentByteCount {
      snapshot.task?.sentByteCount = byteCount
    }
    snapshot.comparedByteCount =
      live[id].work?.comparedByteCount ?? live[id].checking?.comparedByteCount
    snapshot.storedByteCount = live[id].work?.storedByteCount
    if machine.spec.isUpload { snapshot.showUpload(of: machine.spec) }
    snapshot.heldBack?.since = known?.standingSince
    if machine.visibleState == .idle { snapshot.kept = known?.kept }
    if machine.visibleState == .running {
      snapshot.connections = machine.download?.activeCount ?? 0
      snapshot.bytesPerSecond = known?.speed.bytesPerSecond ?? 0
      snapshot.heldBack = silence(of: machine) ?? judgement.heldBack(id)
      if let expected = snapshot.bytesExpected {
        let missing = max(0, expected - snapshot.bytesReceived)
        snapshot.secondsLeft = known.flatMap {
          $0.pace.pace(at: clock.now().monotonic).secondsLeft(
            missing: missing, limit: snapshot.limitBytesPerSecond, speed: $0.speed)
        }
      }
    }
    if !machine.spec.isUpload { snapshot.ridge = ridge(of: id, snapshot) }
    return snapshot
  }

  /// That nothing comes, since when, and when the request is repeated; nil while something comes or
  /// a limit is the reason. Of an upload only the response is awaited.
  private func silence(of machine: TransferMachine) -> HeldBack? {
    let now = clock.now()
    // What is being copied comes from the disk.
    if case .opening(let body)? = live[machine.id].body, body.copying.byteCount != nil {
      return nil
    }
    guard !machine.spec.isUpload,
      judgement.heldBack(machine.id).map({ $0.cause == .unknown }) ?? true,
      let silence = machine.download?.silence(at: now.monotonic)
    else { return nil }
    let milliseconds = now.monotonic.milliseconds(since: silence.since)
    // In whole seconds, so that the same silence makes the same row.
    let since = WallTime(
      millisecondsSince1970: (now.wall.millisecondsSince1970 - milliseconds) / 1000 * 1000)
    let patience = attempts[silence.attempt]?.patienceMilliseconds
    return HeldBack(
      .unknown, subject: silence.host, since: since,
      until: patience.map { since.advanced(byMilliseconds: $0) })
  }

  var rows: RowMaker { configuration.rows(clearedUpTo: scheduler.clearedUpTo) }

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

  /// Returns the recorded digests of a transfer's bytes; none if the store has none or fails.
  package func digests(of id: TransferID) async -> BlockDigests {
    (try? await store.read { archive in try archive.digests(of: id) }) ?? BlockDigests()
  }

  private func detailsOfResident(_ id: TransferID) -> EngineDetails? {
    guard let machine = scheduler.machines[id], let snapshot = snapshot(of: id) else { return nil }
    let known = live[id].observation ?? TransferObservation()
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
      history: known.history(
        addedAt: machine.createdAt, recorded: machine.record.finishedFile?.arrival?.events ?? [],
        ended: machine.record.finishedAt.map {
          HistoryEntry(at: $0, HistoryEvent(machine.record, at: $0))
        }))
  }

  /// The connections in file order. Those without a response come last.
  func connections(of id: TransferID, _ download: ActiveDownload?) -> [LiveConnection] {
    let progress = live[id].body?.writer?.progress ?? [:]
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

extension TransferMachine {
  fileprivate enum Telling {
    case now, whenDurable
    /// Its new state is final only then, and reports itself.
    case whenAtRest
  }

  fileprivate var telling: Telling {
    switch visibleState {
    case .completed: .whenDurable
    case .failed where record.task != nil: isAtRest ? .whenDurable : .whenAtRest
    case .idle, .scheduled, .queued, .running, .waiting, .paused, .verifying, .failed: .now
    }
  }
}

/// Measures hosts and transfers, for estimates and for what slows a transfer down.
extension TransferEngine {
  /// Records the bytes that a transfer has received since the last call.
  func measureBytes(of id: TransferID) {
    guard let writer = live[id].body?.writer, let origin = scheduler.machines[id]?.spec.url.origin
    else { return }
    let newByteCount = live[id].observed.newBytes(receivedByteCount: writer.receivedByteCount)
    measurements.recordBytes(newByteCount, from: origin)
  }

  /// Records how fast the parts of the file arrive.
  func noteArrivals(of id: TransferID) {
    guard let machine = scheduler.machines[id], let download = machine.download else { return }
    let connections = connections(of: id, download)
    live[id].observation?.noteArrivals(
      connections, total: machine.resumeData?.totalByteCount)
  }

  /// Returns how fast the parts of the file arrived; nil if nothing has, or the size is unknown.
  func ridge(of id: TransferID, _ row: TransferSnapshot) -> Ridge? {
    guard let machine = scheduler.machines[id], let total = row.bytesExpected else { return nil }
    if let ridge = machine.record.finishedFile?.arrival?.ridge { return ridge }
    let speeds = live[id].observation?.arrivalSpeeds ?? ArrivalSpeeds()
    var arrived = machine.resumeData?.durable ?? ByteRangeSet()
    switch machine.visibleState {
    case .completed: arrived = ByteRangeSet(prefix: total)
    case .running:
      for connection in connections(of: id, machine.download) {
        guard let lower = connection.range?.lower,
          let range = ByteRange(lower: lower, upper: connection.receivedUpTo)
        else { continue }
        arrived.insert(range)
      }
    case .idle, .scheduled, .queued, .waiting, .paused, .verifying, .failed: break
    }
    return speeds.ridge(arrived, total: total)
  }

  /// Counts a file that is complete. Returns the event with how the file arrived.
  func noting(_ event: TransferScheduler.Event) -> TransferScheduler.Event {
    guard case .file(let id, .placed(.success(var file), let operation)) = event,
      let byteCount = file.byteCount, let spec = scheduler.machines[id]?.spec
    else { return event }
    measurements.recordFile(byteCount: byteCount, from: spec.url.origin, session: spec.session)
    file.arrival = live[id].observation?.arrival(ofSize: byteCount)
    return .file(id, .placed(.success(file), by: operation))
  }

  /// Judges the speeds once a second.
  func judgeSpeeds(at now: Moment) {
    guard judgement.isDue(at: now.monotonic) else { return }
    var samples: [RunningSample] = []
    for id in scheduler.queue.running {
      guard let machine = scheduler.machines[id], machine.visibleState == .running,
        let known = live[id].observation
      else { continue }
      samples.append(
        RunningSample(
          id: id, origin: machine.spec.url.origin, bytesPerSecond: known.speed.bytesPerSecond,
          bytesPerSecondMax: machine.spec.limitBytesPerSecond, diskShare: known.diskShare,
          milliseconds: known.receivingSince.map { now.monotonic.milliseconds(since: $0) } ?? 0))
    }
    measurements.sample(Set(samples.map(\.origin)), at: now.monotonic)
    judgement.sample(samples, totalMax: scheduler.limitBytesPerSecond, at: now.monotonic)
  }
}

/// Why transfers do not move, and when they will be complete: made only when a client looks, and at
/// most once a second.
extension TransferEngine {
  /// More queued transfers are not simulated.
  static let simulatedCountMax = 100_000

  package typealias OutlookAge = QueueOutlook.Age

  /// Fills in what depends on other transfers: what rows of the queue wait for, and when every row
  /// is expected to be complete. Only the collecting takes place on the engine.
  package nonisolated func explained(
    _ rows: [TransferSnapshot], _ age: OutlookAge
  ) async -> (rows: [TransferSnapshot], outlook: QueueOutlook, now: WallTime) {
    let explanations = await explanations(of: rows, age)
    return (rows.map(explanations.explain), explanations.outlook, explanations.now)
  }

  private func explanations(
    of rows: [TransferSnapshot], _ age: OutlookAge
  ) async -> RowExplanations {
    let outlook = await outlook(age)
    let now = clock.now()
    var explanations = RowExplanations(
      now: now.wall, census: scheduler.census(at: now), outlook: outlook)
    for row in rows where row.state == .queued {
      explanations.since[row.id] = live[row.id].observation?.standingSince
      explanations.connections[row.id] = scheduler.machines[row.id]?.spec.connections
    }
    return explanations
  }

  /// The same for one transfer in memory, with its rank however long the queue is.
  package func explained(_ row: TransferSnapshot) async -> TransferSnapshot {
    var explained = await explained([row], .current).rows.first ?? row
    if row.state == .queued, explained.heldBack?.rank == nil {
      let isReached = outlooks.latest?.reaches(
        row.id, priority: row.priority, position: row.queuePosition ?? 0)
      if isReached != false {
        // It was added or moved since the outlook was made.
        outlooks.latest = nil
        explained = await self.explained([row], .current).rows.first ?? row
      }
      if explained.heldBack?.rank == nil { explained.heldBack?.rank = await rank(of: row) }
    }
    return explained
  }

  /// The place in the queue of a transfer that an outlook does not reach.
  private func rank(of row: TransferSnapshot) async -> Int? {
    let place = QueuePosition(position: row.queuePosition ?? 0, id: row.id)
    let counted = try? await outlooks.reader.read { archive in
      try archive.queuedCount(before: row.priority, place)
    }
    return counted.map { scheduler.rank(of: row.id, storedBefore: $0) }
  }

  // MARK: Outlooks

  private func outlook(_ age: OutlookAge) async -> QueueOutlook {
    guard let latest = outlooks.latest(age, at: clock.now().monotonic) else {
      return await makeOutlook()
    }
    if latest.isOutdated, outlooks.pending == nil {
      Task(executorPreference: work.tasks) { [weak self] in _ = await self?.makeOutlook() }
    }
    return latest.outlook
  }

  private func makeOutlook() async -> QueueOutlook {
    if let pending = outlooks.pending { return await pending.value() }
    outlooks.begin()
    let stored = await storedQueue()
    let plan = scheduler.outlookPlan(
      running: runningProgress, measurements, judgement: judgement, at: clock.now())
    let outlook = await withCheckedContinuation { made in
      outlooks.reader.queue.enqueue {
        let queue = stored?.queue ?? StoredQueue([])
        let further = max(0, (stored?.totalCount ?? 0) - queue.count)
        made.resume(returning: plan.outlook(stored: queue, furtherCount: further))
      }
    }
    outlooks.finish(outlook)
    return outlook
  }

  /// Frees what is made again when a client looks.
  package func releaseMemory() { outlooks.release() }

  private var runningProgress: [OutlookPlan.Running] {
    let now = clock.now().monotonic
    return scheduler.machines.values.compactMap { machine in
      switch machine.visibleState {
      case .running, .verifying:
        guard let row = snapshot(of: machine.id) else { return nil }
        return OutlookPlan.Running(
          id: machine.id, bytesReceived: row.bytesReceived, bytesExpected: row.bytesExpected,
          pace: live[machine.id].observation?.pace.pace(at: now) ?? .unknown)
      case .idle, .scheduled, .queued, .waiting, .paused, .completed, .failed: return nil
      }
    }.sorted { $0.id < $1.id }
  }

  /// The queued transfers that only the store has; nil if there are none.
  func storedQueue() async -> Outlooks.Reading? {
    guard scheduler.evictedQueuedCount > 0 else {
      outlooks.stored = nil
      return nil
    }
    let now = clock.now().monotonic
    if let known = outlooks.knownQueue(at: now) { return known }
    let evictionCount = outlooks.evictionCount
    do {
      let queue = try await outlooks.reader.read { archive in
        StoredQueue(try archive.queue(countMax: Self.simulatedCountMax))
      }
      outlooks.stored = Outlooks.Reading(
        queue: queue, totalCount: scheduler.evictedQueuedCount, readAt: now,
        evictionCount: evictionCount)
    } catch {
      logger.error("The queue cannot be read", metadata: ["error": "\(error)"])
    }
    return outlooks.stored
  }
}
