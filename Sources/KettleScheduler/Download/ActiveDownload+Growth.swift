import KettleModel

/// How many connections a download should have, and which are closed because they add nothing.
extension ActiveDownload {
  /// How long our disk counts as the reason for the rate.
  private static let heldBackMilliseconds: Int64 = 300

  /// How many connections are worthwhile now.
  func wantedCount(_ facts: TransferFacts, at now: MonotonicTime) -> Int {
    switch facts.connectionDemand {
    case .exactly(let count): count
    case .adaptive: max(growth.target, facts.mirrors.usefulCount(at: now))
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
    let active = fetching.filter { $0.phase != .closing }
    let present = presentByteCount
    let seen = ConnectionGrowth.Observation(
      presentByteCount: present, missingByteCount: max(0, total - present),
      activeCount: active.count, deliveringCount: active.count(where: \.hasDelivered),
      flow: flow(at: now),
      roundTripMilliseconds: roundTripMilliseconds ?? ConnectionGrowth.roundTripMillisecondsDefault,
      limitBytesPerSecond: limit)
    growth.begin(with: facts.mirrors.usefulCount(at: now))
    switch growth.observe(seen, policy, at: now) {
    case .keep: return []
    case .drop(let count):
      let least = max(1, facts.mirrors.usefulCount(at: now))
      return closeLatest(min(count, active.count - least))
    }
  }

  private func flow(at now: MonotonicTime) -> ConnectionGrowth.Observation.Flow {
    if connections.contains(where: { isSilent($0, at: now) }) { return .silent }
    guard let heldBackAt else { return .free }
    let age = now.milliseconds(since: heldBackAt)
    return age < Self.heldBackMilliseconds ? .heldBack : .free
  }

  /// Closes the latest connections, at first those of sources that have several.
  private mutating func closeLatest(_ count: Int) -> [AttemptID] {
    var closed: [AttemptID] = []
    for isOnlyOne in [false, true] {
      for index in connections.indices.reversed() where closed.count < count {
        let connection = connections[index]
        guard connection.phase != .closing, !connection.isSample,
          isOnlyOne || fetchingCount(from: connection.source) > 1
        else { continue }
        connections[index].phase = .closing
        closed.append(connection.attempt)
      }
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
