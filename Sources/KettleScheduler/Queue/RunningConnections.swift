import KettleModel

/// The connections of all running transfers, as one round of `fillSlots` needs them. They are
/// gathered once: asking every transfer about all others would cost the square of their number.
struct RunningConnections {
  typealias OriginSession = TransferQueue.OriginSession

  /// The transfers that take their connections from the common limit of a host.
  struct Sharing {
    var count = 0
    /// The one with the most connections that are not closing; the first of several.
    var richest: (id: TransferID, connectionCount: Int)?
  }

  /// The transfers that have a slot but, between two attempts, no connection. Theirs stay reserved.
  private var reserved: [TransferID: OriginSession] = [:]
  private var reservedCounts: [Origin: Int] = [:]
  /// The connections of each session at each host, reserved ones included. Empty when no session
  /// has a limit of its own.
  private(set) var counts: [OriginSession: Int]
  private(set) var sharing: [Origin: Sharing] = [:]
  private var closing: Set<Origin> = []

  init(_ scheduler: TransferScheduler) {
    for id in scheduler.queue.running {
      guard let machine = scheduler.machines[id] else { continue }
      if !scheduler.queue.isBeside(id), machine.hasReservedConnection {
        reserved[id] = OriginSession(machine.spec)
        reservedCounts[machine.spec.url.origin, default: 0] += 1
      }
      guard let download = machine.download else { continue }
      for connection in download.connections where connection.phase == .closing {
        closing.insert(connection.url.origin)
      }
      guard machine.takesCommonConnections else { continue }
      let count = download.activeCount
      var sharing = sharing[machine.spec.url.origin] ?? Sharing()
      sharing.count += 1
      if count > sharing.richest?.connectionCount ?? -1 { sharing.richest = (id, count) }
      self.sharing[machine.spec.url.origin] = sharing
    }
    counts = scheduler.connectionCounts(reserved: reserved.values)
  }

  /// Connections are taken one at a time: one that is closing frees its place soon.
  /// nil means any host.
  func isClosing(at origin: Origin?) -> Bool {
    origin.map { closing.contains($0) } ?? !closing.isEmpty
  }

  /// How many connections are reserved for other transfers.
  func reservedCount(besides id: TransferID) -> Int {
    reserved.count - (reserved[id] == nil ? 0 : 1)
  }

  /// How many connections to a host are reserved for other transfers.
  func reservedCount(at origin: Origin, besides id: TransferID) -> Int {
    reservedCounts[origin, default: 0] - (reserved[id]?.origin == origin ? 1 : 0)
  }

  /// The connections of a session at a host, without one that is reserved for this transfer.
  func count(_ one: OriginSession, besides id: TransferID) -> Int {
    counts[one, default: 0] - (counts.isEmpty || reserved[id] != one ? 0 : 1)
  }

  /// Records that a transfer opened a connection.
  mutating func record(_ one: OriginSession, openedBy id: TransferID, withLimits: Bool) {
    if let own = reserved.removeValue(forKey: id) {
      reservedCounts[own.origin, default: 1] -= 1
      if withLimits { counts[own, default: 1] -= 1 }
    }
    if withLimits { counts[one, default: 0] += 1 }
  }
}

extension TransferMachine {
  /// Whether it has, between two attempts, no connection, so that one stays reserved for it.
  var hasReservedConnection: Bool { !state.hasAttempts && !state.isFetched }

  /// Whether it takes its connections from the common limit of its host.
  var takesCommonConnections: Bool {
    switch spec.connectionDemand {
    case .exactly: false
    case .adaptive: download != nil
    }
  }
}
