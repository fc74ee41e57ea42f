import KettleModel

/// Decides which transfers offer HTTP/2. They all are whole files over https that could not be
/// limited, so that a stream never waits for anything but the network.
extension TransferScheduler {
  /// A trial pays off when so many transfers of the origin wait that the free slots do not take.
  static let waitingCountMinForTrial = 8

  /// Returns how a transfer that gets a slot sends its request.
  func streamUseWithSlot(_ id: TransferID, at now: Moment) -> StreamUse {
    guard queue.limits.streamsMax > 0, let spec = machines[id]?.spec,
      streams.permitsTrial(at: spec.url.origin), mayBeStream(id)
    else { return .none }
    let limit = rules.connectionLimit(of: OriginSession(spec), at: now.monotonic) ?? .max
    let taken = min(queue.freeSlotCount, limit)
    return queue.queuedCount(at: spec.url.origin) - taken >= Self.waitingCountMinForTrial
      ? .trial : .none
  }

  /// Starts queued transfers beside the slots, where many small files come over one connection.
  mutating func startStreams(_ output: inout SchedulerOutput, at now: Moment) {
    guard queue.limits.streamsMax > 0, limitBytesPerSecond == nil else { return }
    for origin in streams.readyOrigins {
      while permitsStreams(at: origin, now), let id = queue.front(at: origin, where: mayBeStream),
        hasRoomForStream(of: id, at: now), queue.takeBeside(id)
      {
        start(id, as: .beside, &output, at: now)
      }
    }
  }

  private func permitsStreams(at origin: Origin, _ now: Moment) -> Bool {
    guard phase == .working, streams.permitsStreams(at: origin),
      startGate.permitsStart(at: origin), !hosts.isClosed(origin, at: now.monotonic),
      hosts.limit(at: origin, now.monotonic) == nil
    else { return false }
    if hosts.hasStreams(at: origin) { return true }
    // The first one opens the connection.
    return hosts.connectionCount(at: origin) < queue.limits.connectionsMax(at: origin)
      && hosts.connectionCount < queue.limits.connectionsMax
  }

  /// Whether a transfer may share a connection: only with those that are verified in the same way
  /// and have no login, and only for a whole file at full speed.
  private func mayBeStream(_ id: TransferID) -> Bool {
    guard limitBytesPerSecond == nil, let machine = machines[id] else { return false }
    let facts = machine.facts
    let spec = facts.requestSpec
    let trust = AttemptPlan.Trust(in: spec, origin: spec.url.origin, check: .usual)
    return trust == .system && rules.asksServerTrust(in: spec.session) != true
      && spec.url.scheme == .https && spec.content == nil
      && spec.login(for: spec.url.origin) == nil && spec.caCertificatePath == nil
      && spec.options.certificate == nil
      && spec.task?.credential(for: spec.url.origin)?.certificate == nil
      && spec.limitBytesPerSecond == nil && spec.options.otherSources.isEmpty
      && facts.firstRequest.purpose == .file
      && facts.resumeData == nil && facts.repetitions.permitsStream
  }

  /// Whether the session of a transfer may have the connection of its streams. Sessions without a
  /// limit of their own may.
  private func hasRoomForStream(of id: TransferID, at now: Moment) -> Bool {
    guard let spec = machines[id]?.spec,
      let limit = rules.connectionLimit(of: OriginSession(spec), at: now.monotonic)
    else { return true }
    let isSharing = owners.contains { attempt, owner in
      hosts.isStream(attempt) && hosts.origin(of: attempt) == spec.url.origin
        && machines[owner]?.spec.session == spec.session
    }
    let counts = connectionCounts(reserved: reservedConnections().places)
    return isSharing || counts[OriginSession(spec), default: 0] < limit
  }
}
