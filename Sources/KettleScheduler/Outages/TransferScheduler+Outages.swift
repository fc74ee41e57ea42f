import KettleModel

/// Hosts and proxies that cannot be reached: their transfers wait together, and one at a time
/// probes.
extension TransferScheduler {
  /// Decides what the end of an attempt means for its host or proxy, before the transfer decides
  /// what it means for itself.
  ///
  /// - Returns: the verdict, and the table to use if the transfer follows it.
  func outageVerdict(
    on outcome: AttemptOutcome, of attempt: AttemptID, jitter: Double, at now: Moment
  ) -> (verdict: OutageVerdict, table: OutageTable) {
    guard case .failed(let failure) = outcome, let id = owners[attempt],
      let origin = hosts.origin(of: attempt), let peer = failure.peer(at: origin),
      let machine = machines[id],
      machine.download?.connection(of: attempt)?.phase == .requesting,
      environment.network == .present || machine.spec.url.isLoopback,
      failure.code != .timedOut || !hosts.hasRespondedSince(startOf: attempt)
    else { return (.notOfPeer, outages) }
    var table = outages
    let verdict = table.recordFailure(
      failure, of: peer, by: id,
      isKnown: machine.facts.resumeData?.durable.isEmpty == false,
      policy: environment.retryPolicy, jitter: jitter, at: now)
    return (verdict, table)
  }

  /// Applies a verdict that a transfer has followed to all that wait for the same peer.
  ///
  /// - Parameter table: the table after the verdict.
  mutating func follow(
    _ verdict: OutageVerdict, with table: OutageTable, _ output: inout SchedulerOutput,
    at now: Moment
  ) {
    let before = outages
    outages = table
    switch verdict {
    case .notOfPeer: break
    case .pausing(let peer, let until):
      if before.outage(of: peer) == nil { holdBack(for: peer, until: until, &output) }
      // Only a failed probe changes the time of the next one.
      guard before.isProbed(peer), !table.isProbed(peer) else { return }
      tell(.pausing(until: until), of: peer, &output, at: now)
    case .givenUp(let peer): tell(.givenUp, of: peer, &output, at: now)
    }
  }

  /// How many queued transfers show that they wait for a proxy; others stay queued.
  static let heldBackCountMax = 1000

  /// Shows at the queued transfers that they wait for a proxy. Those of a host show it themselves:
  /// the host is in their URL.
  private mutating func holdBack(
    for peer: Peer, until: Moment, _ output: inout SchedulerOutput
  ) {
    guard case .proxy(let proxy) = peer, let failure = outages.outage(of: peer)?.failure else {
      return
    }
    let queued = machines.values.filter {
      $0.state == .queued && startGate.proxy?($0.spec.url.origin) == proxy
    }
    for id in queued.map({ $0.id }).sorted().prefix(Self.heldBackCountMax) {
      update(id, into: &output) { $0.holdBack(for: peer, until: until, because: failure) }
    }
  }

  /// Ends the outage of a host that has sent a response, and of the proxy on the way.
  mutating func hostResponded(
    _ attempt: AttemptID, with status: Int, _ output: inout SchedulerOutput, at now: Moment
  ) {
    guard let origin = hosts.origin(of: attempt) else { return }
    hosts.recordResponse(of: attempt)
    outages.recordResponse(of: origin, at: now.wall)
    var isChanged = false
    if let id = owners[attempt], let login = login(of: id, at: origin) {
      isChanged = true
      switch (status, origin.scheme.family) {
      case (401, _): trials.reject(login)
      // A full server refuses before it reads a login. The trial ends with the transfer's turn.
      case (503, .ftp): break
      case (_, .http), (_, .ftp), (_, .sftp): trials.accept(login)
      }
    }
    if let proxy = startGate.proxy?(origin) {
      isChanged = true
      trials.accept(.proxy(proxy))
    }
    for peer in startGate.peers(of: origin) where endOutage(of: peer, &output, at: now) {
      isChanged = true
    }
    if isChanged { fillSlots(&output, at: now) }
  }

  /// Queues the transfers that wait for a peer. Returns whether it could not be reached before.
  mutating func endOutage(
    of peer: Peer, _ output: inout SchedulerOutput, at now: Moment
  ) -> Bool {
    guard outages.end(peer) else { return false }
    tell(.answers, of: peer, &output, at: now)
    return true
  }

  // MARK: What a transfer needs

  /// Which origins may be contacted by another transfer. A value of its own: a copy of the whole
  /// scheduler would make the queue copy itself.
  var startGate: StartGate {
    StartGate(outages: outages, trials: trials, proxy: environment.proxy)
  }

  /// Records that a transfer starts that others may have to wait for.
  mutating func recordStart(of id: TransferID) {
    guard let machine = machines[id], machine.occupiesSlot else { return }
    let origin = machine.spec.url.origin
    for peer in startGate.peers(of: origin) where outages.outage(of: peer)?.phase == .due {
      outages.change(peer) { $0.beginProbe(by: id) }
    }
    if let proxy = startGate.proxy?(origin) { trials.begin(.proxy(proxy), by: id) }
    if let login = login(of: id, at: origin) { trials.begin(login, by: id) }
  }

  // MARK: Logins

  /// The user's login that a transfer sends to an origin; nil for a program's task, whose program
  /// is asked.
  private func login(of id: TransferID, at origin: Origin) -> TrialTable.Subject? {
    guard let spec = machines[id]?.requestSpec, spec.task == nil, spec.url.origin == origin else {
      return nil
    }
    return spec.login.map { .login(origin, $0) }
  }

  /// Lets a queued transfer wait for another login if the host has rejected the one that it has.
  ///
  /// - Returns: whether it waits.
  mutating func holdBackRejectedLogin(
    of id: TransferID, _ output: inout SchedulerOutput
  ) -> Bool {
    guard let origin = machines[id]?.spec.url.origin, let login = login(of: id, at: origin),
      trials.isRejected(login)
    else { return false }
    update(id, into: &output) { $0.holdBackForLogin() }
    return true
  }

  /// The user wants a transfer to start: its login is tried again.
  mutating func forgetRejectedLogin(of id: TransferID) {
    guard let origin = machines[id]?.spec.url.origin, let login = login(of: id, at: origin),
      trials.isRejected(login)
    else { return }
    trials.forget(login)
  }

  private mutating func tell(
    _ news: PeerNews, of peer: Peer, _ output: inout SchedulerOutput, at now: Moment
  ) {
    for id in waiting(for: peer) {
      update(id, into: &output) { $0.hear(news, of: peer, at: now) }
    }
  }

  private func waiting(for peer: Peer) -> [TransferID] {
    machines.values.filter { $0.state.waiting?.peer == peer }.map(\.id).sorted()
  }

  // MARK: Probes

  /// Begins the probes that are due, and those whose transfer has left without a result.
  mutating func beginProbes(_ output: inout SchedulerOutput, at now: Moment) {
    for peer in outages.due(at: now.monotonic) { beginProbe(of: peer, &output, at: now) }
    for (peer, id) in outages.probers where !isActive(id) {
      beginProbe(of: peer, &output, at: now)
    }
    trials.endTrials { machines[$0]?.occupiesSlot != true }
  }

  private func isActive(_ id: TransferID) -> Bool {
    queue.mayStart(id) || machines[id]?.occupiesSlot == true
  }

  /// Lets one transfer try a peer: one that waits for it, or else a queued one. Without any, the
  /// outage does not matter any more.
  mutating func beginProbe(
    of peer: Peer, _ output: inout SchedulerOutput, at now: Moment
  ) {
    guard let outage = outages.outage(of: peer) else { return }
    let counts = queue.runningCounts
    var keys: [QueueKey] = []
    for id in waiting(for: peer) {
      guard let machine = machines[id] else { continue }
      if !queue.named.admits(machine.spec.queue, counts) {
        // Its queue decides when it continues.
        update(id, into: &output) { $0.hear(.probe, of: peer, at: now) }
      } else if case .waiting = machine.state {
        keys.append(QueueKey(machine.record))
      }
    }
    let hasQueued = hasQueued(for: peer)
    guard let key = outage.nextProber(of: keys),
      !(hasQueued && outage.wantsQueued)
    else {
      if hasQueued { outages.change(peer) { $0.becomeDue() } } else { _ = outages.end(peer) }
      return
    }
    outages.change(peer) { $0.beginProbe(by: key.id, from: key) }
    update(key.id, into: &output) { $0.hear(.probe, of: peer, at: now) }
  }

  private func hasQueued(for peer: Peer) -> Bool {
    switch peer {
    case .host(let origin):
      !queue.sessionsWaiting(for: origin).isEmpty
        || (evicted.queuedCount > 0 && queue.frontiers.frontier(of: origin) != .complete)
    case .proxy(let proxy):
      queue.origins.contains { startGate.proxy?($0) == proxy } || evicted.queuedCount > 0
    }
  }

  /// The user wants a transfer to start: it probes its peer now, unless another one does.
  mutating func probeNow(_ peer: Peer, by id: TransferID, at now: Moment) {
    guard let outage = outages.outage(of: peer),
      queue.named.admits(machines[id]?.spec.queue, queue.runningCounts)
    else { return }
    if outage.milliseconds(at: now.monotonic) >= environment.retryPolicy.unservedMillisecondsMax {
      outages.change(peer) { $0.restart(at: now.monotonic) }
    }
    switch outage.phase {
    case .pausing, .due: outages.change(peer) { $0.beginProbe(by: id) }
    case .probing(let other):
      if !isActive(other) { outages.change(peer) { $0.beginProbe(by: id) } }
    }
  }

  /// Probes every peer at once: the way to them may have changed.
  mutating func probeAll(_ output: inout SchedulerOutput, at now: Moment) {
    outages.restart(at: now.monotonic)
    for peer in outages.peers where outages.outage(of: peer)?.nextProbeAt != nil {
      beginProbe(of: peer, &output, at: now)
    }
  }
}

/// What is known about hosts, for people, and how they make it be forgotten.
extension TransferScheduler {
  /// Every host with connections, queued transfers, or something that is remembered about it; by
  /// name.
  ///
  /// - Parameters:
  ///   - speeds: of the hosts with running transfers.
  ///   - stored: the queued transfers that only the store has.
  package func hosts(
    at now: Moment, speeds: [Origin: Int64] = [:], stored: [Origin: Int] = [:]
  ) -> [HostSnapshot] {
    let wanted = wantedOrigins
    var origins = hosts.origins.union(speeds.keys).union(stored.keys)
    origins.formUnion(queue.origins)
    origins.formUnion(remembered.hosts.keys)
    for peer in outages.peers {
      switch peer {
      case .host(let origin) where wanted.contains(origin): origins.insert(origin)
      case .host, .proxy: break
      }
    }
    return origins.map { origin in
      var host = host(origin, at: now)
      host.bytesPerSecond = speeds[origin] ?? (host.connections > 0 ? 0 : nil)
      host.queuedCount += stored[origin] ?? 0
      if host.queuedCount == 0, !wanted.contains(origin) { host.outage = nil }
      return host
    }
    .sorted { $0.origin < $1.origin }
  }

  /// The origins that a transfer in memory contacts now or will contact by itself. No transfer
  /// waits for any other, so an outage of another is not shown.
  private var wantedOrigins: Set<Origin> {
    var origins: Set<Origin> = []
    for machine in machines.values {
      switch machine.visibleState {
      case .queued, .running, .waiting, .verifying, .scheduled:
        origins.insert(machine.spec.url.origin)
      case .idle, .paused, .completed, .failed: break
      }
    }
    return origins
  }

  private func host(_ origin: Origin, at now: Moment) -> HostSnapshot {
    let learned = hosts.connectionsMax(at: origin, now.monotonic) ?? .max
    var host = HostSnapshot(
      origin: origin.text, connections: hosts.connectionCount(at: origin),
      connectionsMax: min(queue.limits.connectionsMax(at: origin), learned),
      queuedCount: queue.queuedCount(at: origin))
    if let limit = hosts.limit(at: origin, now.monotonic) {
      host.limit = HostSnapshot.Limit(
        connectionsMax: limit.connectionsMax(at: now.monotonic), triedCount: limit.triedCount,
        since: limit.since, status: limit.status)
    }
    if let remembered = remembered[origin] {
      host.remembered = HostSnapshot.Remembered(
        user: remembered.login?.user, certificateCount: remembered.trustedKeys.count)
    }
    if let until = hosts.closedUntil(origin, at: now.monotonic) {
      let milliseconds = until.milliseconds(since: now.monotonic)
      host.closedUntil = now.wall.advanced(byMilliseconds: milliseconds)
    }
    if let outage = startGate.peers(of: origin).compactMap({ outages.outage(of: $0) }).first {
      host.outage = HostSnapshot.Outage(
        since: outage.since.wall, failedProbeCount: outage.failedProbeCount,
        nextProbeAt: outage.nextProbeAt?.wall, error: outage.failure)
    }
    return host
  }

  /// Forgets what was learned about the hosts with this name: limits, pauses, outages and rejected
  /// logins. They may be contacted at once.
  ///
  /// - Parameter name: a host, a host and port, or an origin.
  /// - Returns: the origins about which something was known.
  package mutating func resetHosts(
    named name: String, at now: Moment
  ) -> (origins: [String], SchedulerOutput) {
    var output = SchedulerOutput()
    var reset: [String] = []
    for origin in knownOrigins where origin.isNamed(name) {
      let hadLimit = hosts.reset(origin)
      let hadRejection = trials.forgetRejections(at: origin)
      var hadOutage = false
      for peer in startGate.peers(of: origin) where endOutage(of: peer, &output, at: now) {
        hadOutage = true
      }
      if hadLimit || hadOutage || hadRejection { reset.append(origin.text) }
    }
    fillSlots(&output, at: now)
    return (reset.sorted(), output)
  }

  private var knownOrigins: Set<Origin> {
    var origins = hosts.origins.union(trials.rejectedOrigins)
    for machine in machines.values where machine.state.waiting?.peer != nil {
      origins.insert(machine.spec.url.origin)
    }
    for peer in outages.peers {
      switch peer {
      case .host(let origin): origins.insert(origin)
      case .proxy: break
      }
    }
    return origins
  }
}

extension Origin {
  /// Whether it is meant by a host, a host and port, or an origin.
  func isNamed(_ name: String) -> Bool {
    let name = name.lowercased()
    return name == host || name == "\(host):\(port)" || name == text
  }
}
