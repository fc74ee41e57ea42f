import KettleModel
import KettleScheduler

/// The user's settings for single hosts. They do not hold for tasks of programs.
extension TransferEngine {
  /// Sets the settings. Attempts under way keep theirs.
  package func setHosts(_ hosts: HostSettings) { hostSettings = hosts }

  /// Adds what the user has set for the host of a request, and begins it. If its headers are in a
  /// file, that is read first: without them nothing is sent.
  func begin(_ request: AttemptRequest, of spec: TransferSpec?) {
    guard let spec, spec.task == nil, request.url.scheme.family == .http else {
      return transport.begin(request)
    }
    var request = request
    if let agent = hostSettings.userAgent.value(for: request.url.host),
      !request.hasHeader("User-Agent"), let field = HeaderField(name: "User-Agent", value: agent)
    {
      request.headers.append(field)
    }
    guard let path = hostSettings.headerPaths[request.url.origin] else {
      return transport.begin(request)
    }
    let attempt = request.id
    awaitingHeaders[attempt] = request
    namePool.async { [weak self, readHeaders = configuration.readHeaders] in
      self?.post(.headersRead(attempt, readHeaders(path)))
    }
  }

  /// Begins an attempt with the headers that it waited for, unless it was cancelled meanwhile. What
  /// the transfer has of its own comes first; cookies are added to its own.
  func headersRead(
    _ result: Result<[HeaderField], TransferFailure>, for attempt: AttemptID
  ) {
    guard var request = awaitingHeaders.removeValue(forKey: attempt) else { return }
    switch result {
    case .success(let fields):
      let new = fields.filter { field in
        if field.isNamed("Cookie") { return false }
        let isOtherLogin = request.login != nil && field.isNamed("Authorization")
        return !isOtherLogin && !request.hasHeader(field.name)
      }
      request.headers += new
      for field in fields where field.isNamed("Cookie") { request.addCookies(field) }
      if new.contains(where: { $0.isNamed("Authorization") }) { request.netrcPath = nil }
      transport.begin(request)
    case .failure(let failure): post(.transport(.ended(attempt, .failed(failure))))
    }
  }

  func cancel(_ attempt: AttemptID) {
    if let id = attempts[attempt]?.transfer, case .opening(let body)? = bodies[id],
      body.attempt == attempt
    {
      body.copying.abandon()
    }
    if awaitingHeaders.removeValue(forKey: attempt) == nil {
      transport.cancel(attempt)
    } else {
      post(.transport(.ended(attempt, .cancelled)))
    }
  }

  /// The file that may supply the login of a request; nil if the request has one, or the user wants
  /// none of it. A program has its own logins.
  func netrcPath(for plan: AttemptPlan, of spec: TransferSpec) -> String? {
    guard spec.task == nil, plan.login == nil,
      spec.options.usesNetrc ?? hostSettings.usesNetrc.value(for: plan.url.host)
        ?? configuration.usesNetrc,
      !plan.headers.contains(where: { $0.isNamed("Authorization") })
    else { return nil }
    return configuration.netrcPath
  }
}

extension AttemptRequest {
  fileprivate func hasHeader(_ name: String) -> Bool { headers.contains { $0.isNamed(name) } }

  /// Adds cookies behind those that the request has: they are all in one field (RFC 6265, section
  /// 5.4).
  fileprivate mutating func addCookies(_ field: HeaderField) {
    guard let index = headers.firstIndex(where: { $0.isNamed("Cookie") }) else {
      headers.append(field)
      return
    }
    let own = headers[index]
    headers[index] = HeaderField(received: own.name, own.value + "; " + field.value)
  }
}

extension HeaderField {
  fileprivate func isNamed(_ name: String) -> Bool { self.name.lowercased() == name.lowercased() }
}

/// What runs when: the user's queues, and the limit for all transfers together.
extension TransferEngine {
  /// Sets the speed limit of all transfers together; nil is none. It applies at once, until the
  /// schedule changes the limit or the service ends.
  package func limitAll(toBytesPerSecond limit: Int64?) {
    apply { scheduler, now in scheduler.limitAll(toBytesPerSecond: limit, at: now) }
  }

  /// Follows another schedule of the speed limit of all transfers together.
  package func follow(_ schedule: LimitSchedule) {
    apply { scheduler, now in scheduler.follow(schedule, at: now) }
  }

  /// Applies a limit that the scheduler has decided.
  func adopt(_ limit: TotalLimit.Effective) {
    guard limit != announcedLimit else { return }
    if limit.bytesPerSecond != announcedLimit.bytesPerSecond {
      for id in live.keys { live[id]?.speed = SpeedEstimator() }
      forgetSpeeds()
      transport.limitAll(toBytesPerSecond: limit.bytesPerSecond)
    }
    announcedLimit = limit
    observer(.limited(limit))
  }

  /// Replaces the settings of the user's queues.
  package func setQueues(_ settings: [QueueName: NamedQueues.Settings]) {
    apply { scheduler, now in scheduler.setQueues(settings, at: now) }
    announceQueues()
  }

  /// Reports the user's queues, if they changed.
  func announceQueues() {
    let names = scheduler.queueNames
    guard names != announcedQueues else { return }
    announcedQueues = names
    observer(.queues(names))
  }

  /// The machine has another time zone: the hours of queues and limits are read again.
  package func zoneChanged() { apply { scheduler, now in scheduler.zoneChanged(at: now) } }

  /// Sets the conditions that the user's own transfers need.
  package func setConditionsOfUser(_ conditions: Set<TransferCondition>) {
    apply { scheduler, now in scheduler.setConditionsOfUser(conditions, at: now) }
  }

  /// Holds back every transfer while the settings of this configuration file are unknown; nil lets
  /// them start.
  package func holdBack(forConfiguration path: String?) {
    apply { scheduler, now in scheduler.holdBack(forConfiguration: path, at: now) }
  }

  /// The user's queues, without the number of transfers that wait.
  package var queues: [QueueSnapshot] { scheduler.namedQueues() }

  /// Whether the settings have one of the user's queues; `default` always exists.
  package func hasQueue(_ name: QueueName) -> Bool { scheduler.hasQueue(name) }

  /// Moves transfers to one of the user's queues. Returns when the store has the change.
  package func assign(
    _ ids: [TransferID], to queue: QueueName
  ) async -> [TransferScheduler.ControlResult] {
    await withoutEviction {
      await load(ids)
      let now = clock.now()
      let (results, output) = decide { $0.assign(ids, to: queue, at: now) }
      for (id, result) in zip(ids, results) where result == .applied {
        live[id, default: begun(id)].note(.assigned(queue: queue), at: now.wall)
      }
      await runDurably(output, at: now).value()
      return results
    }
  }
}

/// Measures hosts and transfers, for estimates and for what slows a transfer down.
extension TransferEngine {
  /// Records the bytes that a transfer has received since the last call.
  func measureBytes(of id: TransferID) {
    guard let writer = bodies[id]?.writer, let origin = scheduler.machines[id]?.spec.url.origin
    else { return }
    let newByteCount = live[id, default: begun(id)]
      .newBytes(receivedByteCount: writer.receivedByteCount)
    measurements.recordBytes(newByteCount, from: origin)
  }

  /// Records how fast the parts of the file arrive.
  func noteArrivals(of id: TransferID) {
    guard let machine = scheduler.machines[id], let download = machine.download else { return }
    live[id]?.noteArrivals(
      connections(of: id, download), total: machine.resumeData?.totalByteCount)
  }

  /// Returns how fast the parts of the file arrived; nil if nothing has, or the size is unknown.
  func ridge(of id: TransferID, _ row: TransferSnapshot) -> Ridge? {
    guard let machine = scheduler.machines[id], let total = row.bytesExpected else { return nil }
    let speeds = live[id]?.arrivalSpeeds ?? ArrivalSpeeds()
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

  /// Records a file that is complete.
  func measure(_ file: FinishedFile, of id: TransferID) {
    guard let byteCount = file.identity?.byteCount, let spec = scheduler.machines[id]?.spec else {
      return
    }
    measurements.recordFile(byteCount: byteCount, from: spec.url.origin, session: spec.session)
  }

  /// Judges the speeds once a second.
  func judgeSpeeds(at now: Moment) {
    guard judgement.isDue(at: now.monotonic) else { return }
    var samples: [RunningSample] = []
    for id in scheduler.queue.running {
      guard let machine = scheduler.machines[id], machine.visibleState == .running,
        let known = live[id]
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

  /// Forgets speeds that were measured under another limit.
  func forgetSpeeds() {
    measurements.forgetSpeeds()
    judgement = SpeedJudgement()
  }
}

extension LiveTransfer {
  /// Returns how many bytes are new, given the number of all bytes of the open file.
  fileprivate mutating func newBytes(receivedByteCount: Int64) -> Int64 {
    // Fewer than before are those of another file.
    let before = measuredByteCount <= receivedByteCount ? measuredByteCount : 0
    measuredByteCount = receivedByteCount
    return receivedByteCount - before
  }

  /// Records whether connections wait for the disk at this tick.
  mutating func noteTick(waitsForDisk: Bool, at now: MonotonicTime) {
    receivingSince = receivingSince ?? now
    diskShare += ((waitsForDisk ? 1 : 0) - diskShare) / 10
  }

  /// Forgets what was measured of an attempt that is over.
  mutating func forgetSpeed() {
    speed = SpeedEstimator()
    receivingSince = nil
    diskShare = 0
  }
}

/// Hooks: programs of the user, which the service runs.
extension TransferEngine {
  /// Records the hooks that an output makes due in the commit of the changes that made them so.
  func recordHooks(in output: inout SchedulerOutput, at now: Moment) {
    decide { $0.noteAllDone(&output) }
    for due in output.hooks {
      guard let occasion = occasion(of: due) else { continue }
      lastHookRun += 1
      var run = HookRun(
        id: HookRunID(rawValue: lastHookRun), event: due.event, source: due.source,
        command: due.command, dueAt: now.wall)
      if case .transfer(let id) = due.subject { run.transfer = id }
      output.changes.append(.hook(.add(run, occasion)))
    }
  }

  private func occasion(of due: HookDue) -> HookOccasion? {
    switch due.subject {
    case .transfer(let id): snapshot(of: id).map { .transfer($0) }
    case .allDone(let tally): .allDone(tally)
    }
  }

  /// Changes which hooks are run from now on.
  package func setHooks(_ rules: HookRules) { decide { $0.setHooks(rules) } }

  /// Returns the last runs of a transfer's hooks, the oldest first; none if they cannot be read.
  package func hookRuns(of id: TransferID) async -> [HookRun] {
    (try? await read { try $0.hookRuns(of: id) }) ?? []
  }

  /// Returns an unfinished run and the data for its program; nil if there is none.
  package func hook(_ id: HookRunID) async throws -> (run: HookRun, occasion: HookOccasion)? {
    try await read { try $0.hook(id) }
  }
}
