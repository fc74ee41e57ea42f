import KettleModel

/// What is known about hosts, for people, and how they make it be forgotten.
extension TransferScheduler {
  /// Every host with connections, queued transfers in memory, or something that is remembered
  /// about it; by name.
  package func hosts(
    at now: Moment, _ measurements: HostMeasurements = HostMeasurements()
  ) -> [HostSnapshot] {
    var origins = hosts.origins
    origins.formUnion(queue.origins)
    origins.formUnion(remembered.hosts.keys)
    for peer in outages.peers {
      switch peer {
      case .host(let origin): origins.insert(origin)
      case .proxy: break
      }
    }
    return origins.map { host($0, at: now, measurements) }.sorted { $0.origin < $1.origin }
  }

  private func host(
    _ origin: Origin, at now: Moment, _ measurements: HostMeasurements
  ) -> HostSnapshot {
    let learned = hosts.connectionsMax(at: origin, now.monotonic) ?? .max
    var host = HostSnapshot(
      origin: origin.text, connections: hosts.connectionCount(at: origin),
      connectionsMax: min(queue.limits.connectionsMax(at: origin), learned),
      bytesPerSecond: measurements.bytesPerSecond(of: origin),
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
