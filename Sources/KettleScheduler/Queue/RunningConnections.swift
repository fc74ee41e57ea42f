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

  /// The transfers that have a slot but no connection to their host yet (`hasReservedConnection`).
  private var reserved: [TransferID: OriginSession] = [:]
  private var reservedCounts: [Origin: Int] = [:]
  /// Those that have a connection elsewhere, which counts among all already.
  private var elsewhere: Set<TransferID> = []
  /// The connections of each session at each host, reserved ones included. Empty when no session
  /// has a limit of its own.
  private(set) var counts: [OriginSession: Int]
  private(set) var sharing: [Origin: Sharing] = [:]
  private var closing: Set<Origin> = []

  init(_ scheduler: TransferScheduler) {
    for id in scheduler.queue.running {
      guard let machine = scheduler.machines[id] else { continue }
      if !scheduler.queue.isBeside(id), scheduler.hasReservedConnection(machine) {
        reserved[id] = OriginSession(machine.spec)
        if machine.state.hasAttempts { elsewhere.insert(id) }
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

  /// How many connections are reserved for other transfers, in addition to those that they have.
  func reservedCount(besides id: TransferID) -> Int {
    let own = reserved[id] == nil || elsewhere.contains(id) ? 0 : 1
    return reserved.count - elsewhere.count - own
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
    elsewhere.remove(id)
    if let own = reserved.removeValue(forKey: id) {
      reservedCounts[own.origin, default: 1] -= 1
      if withLimits { counts[own, default: 1] -= 1 }
    }
    if withLimits { counts[one, default: 0] += 1 }
  }
}

extension TransferScheduler {
  /// Whether a connection to its host stays reserved for a transfer with a slot: between two
  /// attempts, and while another server has not accepted its only request, because that one may
  /// send it back.
  func hasReservedConnection(_ machine: TransferMachine) -> Bool {
    guard machine.state.hasAttempts else { return !machine.state.isFetched }
    let own = machine.spec.url.origin
    if let download = machine.download {
      guard download.body == .closed, download.purpose.isFile, download.connections.count == 1,
        let only = download.connections.first
      else { return false }
      return only.phase == .requesting && only.url.origin != own
    }
    guard machine.followingRequest != nil,
      case .ending(.attempts(let attempts), _) = machine.state
    else { return false }
    return !attempts.contains { hosts.origin(of: $0) == own }
  }
}

extension TransferMachine {
  /// The request for the file that follows when the last attempt has ended; nil if none does.
  var followingRequest: NextRequest? {
    guard case .ending(_, next: .request(let request)) = state, request.purpose.isFile else {
      return nil
    }
    return request
  }

  /// Whether it takes its connections from the common limit of its host.
  var takesCommonConnections: Bool {
    switch spec.connectionDemand {
    case .exactly: false
    case .adaptive: download != nil
    }
  }
}

/// Which origins serve many small files, and have HTTP/2 to send them over one connection.
///
/// Both must be known before anything runs beside the slots: the last responses were all small, and
/// one request that offered HTTP/2 was answered with it.
package struct StreamTable: Sendable {
  private enum Support: Sendable, Hashable {
    case unknown
    /// The attempt offers HTTP/2.
    case tried(AttemptID)
    case offered
    /// HTTP/1.1 only, or streams have broken too often. Not tried again while the service runs.
    case refused
  }

  private struct Knowledge: Sendable {
    var support = Support.unknown
    /// The number of consecutive small files, up to `smallCountMin`.
    var smallCount = 0
    var breakCount = 0
  }

  private var known: [Origin: Knowledge] = [:]

  /// So many small files in a row must have come from an origin.
  static let smallCountMin = 4
  /// After so many broken connections an origin gets no streams any more.
  static let breakCountMax = 3
  /// What is known of more origins than this is forgotten.
  static let originCountMax = 1000

  package init() {}

  func permitsTrial(at origin: Origin) -> Bool {
    origin.scheme == .https && (known[origin]?.support ?? .unknown) == .unknown
  }

  mutating func beginTrial(by attempt: AttemptID, at origin: Origin) {
    if known.count >= Self.originCountMax { known = [:] }
    known[origin, default: Knowledge()].support = .tried(attempt)
  }

  /// The origins whose queued transfers may run as streams, in a fixed order.
  var readyOrigins: [Origin] {
    known.filter { permitsStreams($0.value) }.keys.sorted { $0.text < $1.text }
  }

  func permitsStreams(at origin: Origin) -> Bool {
    known[origin].map(permitsStreams) ?? false
  }

  private func permitsStreams(_ knowledge: Knowledge) -> Bool {
    knowledge.support == .offered && knowledge.smallCount >= Self.smallCountMin
  }

  /// Records a response of an origin.
  ///
  /// - Parameter isStream: whether it came over HTTP/2.
  mutating func record(
    _ head: ResponseHead, of attempt: AttemptID, at origin: Origin, isStream: Bool
  ) {
    // Without a trial nothing about the origin matters.
    guard var knowledge = known[origin] else { return }
    if knowledge.support == .tried(attempt) {
      knowledge.support = isStream ? .offered : .refused
    }
    knowledge.smallCount =
      head.isOfSmallFile ? min(knowledge.smallCount + 1, Self.smallCountMin) : 0
    known[origin] = knowledge
  }

  /// Records the end of an attempt. The first stream that breaks speaks for all that share its
  /// connection. A trial that ended before its response leaves the question open.
  ///
  /// - Parameter isBeside: whether it was a stream beside the slots.
  mutating func recordEnd(
    of attempt: AttemptID, _ outcome: AttemptOutcome, at origin: Origin, isBeside: Bool
  ) {
    guard var knowledge = known[origin] else { return }
    let isBroken =
      switch outcome {
      case .failed(let failure): isBeside || failure.mayBeTheStream
      case .complete, .document, .cancelled, .untrusted, .certificateWanted: false
      }
    let isOpen = knowledge.support == .tried(attempt)
    guard isOpen || (isBeside && isBroken && knowledge.support == .offered) else { return }
    if isBroken { knowledge.breakCount += 1 }
    knowledge.support = knowledge.breakCount < Self.breakCountMax ? .unknown : .refused
    knowledge.smallCount = 0
    known[origin] = knowledge
  }
}
