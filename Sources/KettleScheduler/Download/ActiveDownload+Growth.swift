import KettleModel

/// How many connections a download should have, and which are closed because they add nothing.
extension ActiveDownload {
  /// How long our disk counts as the reason for the rate.
  private static let heldBackMilliseconds: Int64 = 300

  /// How many connections are worthwhile now.
  func wantedCount(_ facts: TransferFacts) -> Int {
    switch facts.connectionDemand {
    case .exactly(let count): count
    case .adaptive: growth.target
    }
  }

  /// Observes the rate. Returns the attempts of connections that add nothing; others take over what
  /// they have not delivered.
  ///
  /// - Parameter limit: the speed limit that applies to the download; nil without one.
  mutating func adjust(
    _ facts: TransferFacts, limitBytesPerSecond limit: Int64?, _ policy: DivisionPolicy,
    at now: MonotonicTime
  ) -> [AttemptID] {
    guard let total = divisibleTotal(of: facts) else {
      growth.end()
      return []
    }
    switch facts.connectionDemand {
    case .exactly: return []
    case .adaptive: break
    }
    let active = connections.filter { $0.phase != .closing }
    let present = presentByteCount
    let seen = ConnectionGrowth.Observation(
      presentByteCount: present, missingByteCount: max(0, total - present),
      activeCount: active.count, deliveringCount: active.count(where: \.hasDelivered),
      flow: flow(at: now),
      roundTripMilliseconds: roundTripMilliseconds ?? ConnectionGrowth.roundTripMillisecondsDefault,
      limitBytesPerSecond: limit)
    switch growth.observe(seen, policy, at: now) {
    case .keep: return []
    case .drop(let count): return closeLatest(min(count, active.count - 1))
    }
  }

  private func flow(at now: MonotonicTime) -> ConnectionGrowth.Observation.Flow {
    if connections.contains(where: { isSilent($0, at: now) }) { return .silent }
    guard let heldBackAt else { return .free }
    let age = now.milliseconds(since: heldBackAt)
    return age < Self.heldBackMilliseconds ? .heldBack : .free
  }

  private mutating func closeLatest(_ count: Int) -> [AttemptID] {
    var closed: [AttemptID] = []
    for index in connections.indices.reversed() where closed.count < count {
      guard connections[index].phase != .closing else { continue }
      connections[index].phase = .closing
      closed.append(connections[index].attempt)
    }
    return closed
  }

  /// When the download must be observed or may begin a connection; nil when time changes nothing.
  var wakeUpAt: MonotonicTime? {
    [pacing.wakeUpAt, growth.nextAt].compactMap { $0 }.min()
  }
}

/// How many connections a transfer asks for.
enum ConnectionDemand: Sendable, Hashable {
  case exactly(Int)
  /// As many as raise its rate.
  case adaptive
}

extension TransferFacts {
  var connectionDemand: ConnectionDemand { spec.connectionDemand }
}

extension TransferSpec {
  /// A program's task has one connection unless it asks for more.
  var connectionDemand: ConnectionDemand {
    if let connections { return .exactly(connections) }
    return task == nil ? .adaptive : .exactly(1)
  }
}
