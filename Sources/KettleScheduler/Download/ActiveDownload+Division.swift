import KettleModel

/// Where one more connection helps most.
///
/// A part whose connection is silent comes first: a second one requests it
/// (`ActiveDownload+Silence`). Then, while more connections are worthwhile (`ConnectionGrowth`), a
/// gap that no connection fetches. Then the part that will end last is divided so that, at known
/// speeds, both halves end together. If the rest is too small to divide and its connection is much
/// slower than the others, a second copy is fetched: the first to arrive wins, and duplicate bytes
/// are compared. So neither a slow nor a dead connection decides when the file is ready. A server
/// that is slow for every connection gets no second copy, which would only share the first one's
/// speed. No part is requested by more than two connections.
extension ActiveDownload {
  enum Piece: Sendable, Hashable {
    case gap(ByteRange)
    /// The end of a connection's range; that connection ends here once the piece arrives.
    case share(of: AttemptID, ByteRange)
    /// Everything that a connection has still to deliver, and a little before it.
    case copy(of: AttemptID, ByteRange, because: CopyReason)
  }

  enum CopyReason: Sendable, Hashable {
    case silence
    case slowness
  }

  /// Less than this is not worth its own request.
  static let pieceByteCountMin: Int64 = 512 << 10
  /// Parts meet at page borders: a page that two of them share is written twice, and read.
  static let pageByteCount: Int64 = 4096
  /// A part that ends within this time is not divided.
  static let millisecondsLeftMin: Int64 = 200
  /// A part that ends within so many round trips is not divided: a new connection takes two before
  /// its first byte arrives.
  static let roundTripsLeftMin: Int64 = 4
  /// A part that ends within this time is not copied, however fast the others are.
  static let copyMillisecondsLeftMin: Int64 = 1000
  /// A second copy must be this many times as fast, or it is not worth its bytes.
  static let copySpeedRatioMin: Int64 = 3
  /// A connection without a byte for this long counts as dead.
  static let silentMillisecondsMax: Int64 = 5000
  /// Bytes before the missing part that are requested again, to check that both match.
  static let overlapByteCount: Int64 = 64 << 10

  /// - Parameters:
  ///   - wantedCount: how many connections are worthwhile.
  ///   - newcomerCount: how many connections may begin; the piece is for the first.
  ///   - newcomerSpeed: the expected bytes per second of each; 0 for that of the others.
  func nextPiece(
    total: Int64, wantedCount: Int, newcomerCount: Int, newcomerSpeed: Int64 = 0,
    _ policy: DivisionPolicy, at now: MonotonicTime
  ) -> Piece? {
    let missingCount = permittedCount(of: wantedCount, at: now)
    // Mostly nothing is wanted, and what follows takes far longer than these questions.
    guard missingCount > 0 || fetching.contains(where: { isSilent($0, at: now) }),
      let all = ByteRange(lower: 0, upper: total)
    else { return nil }
    let connections = expectedConnections
    if let piece = silentPart(of: connections, at: now) { return piece }
    guard missingCount > 0, !isSilent(at: now), !isEnoughAlone(all, policy) else { return nil }
    if let gap = covered.gaps(in: all).max(by: { $0.byteCount < $1.byteCount }) {
      return .gap(gap)
    }
    let receiving = connections.filter { $0.phase == .receiving && $0.missingByteCount > 0 }
    let alone = Self.unshared(receiving, among: connections)
    guard let last = alone.max(by: { expectedEnd($0, now) < expectedEnd($1, now) }) else {
      return nil
    }
    let newcomers = (count: min(newcomerCount, missingCount), speed: newcomerSpeed)
    return share(of: last, newcomers, at: now) ?? copy(of: last)
  }

  /// The parts that only one connection fetches. Others are neither divided nor copied again.
  static func unshared(
    _ candidates: [DownloadConnection], among connections: [DownloadConnection]
  ) -> [DownloadConnection] {
    candidates.filter { connection in
      !connections.contains { $0.attempt != connection.attempt && $0.isAfter(restOf: connection) }
    }
  }

  /// Whether the only connection so far is enough.
  private func isEnoughAlone(_ all: ByteRange, _ policy: DivisionPolicy) -> Bool {
    let fetching = fetching
    guard fetching.count == 1, endedConnectionSpeed == 0, let connection = fetching.first,
      connection.phase == .receiving
    else { return false }
    if connection.speed.bytesPerSecond >= policy.aloneBytesPerSecondMin { return true }
    let gaps = covered.gaps(in: all).reduce(0) { $0 + $1.byteCount }
    guard let left = connection.millisecondsLeft(for: gaps + connection.missingByteCount) else {
      return false
    }
    return left < policy.aloneMillisecondsMax
  }

  /// The connections as they will be once all pending requests are answered. Each ends with the
  /// last byte that no ended connection has delivered.
  private var expectedConnections: [DownloadConnection] {
    var connections = fetching
    for new in fetching where new.phase == .requesting {
      guard let owner = new.owner, let lower = new.range?.lower,
        let index = connections.firstIndex(where: { $0.attempt == owner })
      else { continue }
      connections[index].shorten(to: min(lower, connections[index].range?.upper ?? lower))
    }
    for index in connections.indices where connections[index].phase != .closing {
      guard let upper = connections[index].range?.upper,
        let rest = ByteRange(lower: min(connections[index].receivedUpTo, upper), upper: upper)
      else { continue }
      connections[index].shorten(to: received.gaps(in: rest).last?.upper ?? rest.lower)
    }
    return connections
  }

  /// The tail of a piece that a new connection gets, sized so that all finish at the same time.
  private func share(
    of connection: DownloadConnection, _ newcomers: (count: Int, speed: Int64),
    at now: MonotonicTime
  ) -> Piece? {
    let missing = connection.missingByteCount
    guard missing >= 2 * Self.pieceByteCountMin, let range = connection.range else { return nil }
    let least = max(
      Self.millisecondsLeftMin, Self.roundTripsLeftMin * (roundTripMilliseconds ?? 0))
    if let left = millisecondsLeft(of: connection, now), left < least { return nil }
    let count = Double(max(newcomers.count, 1))
    let own = Double(speed(of: connection, now))
    let others = Double(newcomers.speed > 0 ? newcomers.speed : typicalSpeed) * count
    let share = own + others > 0 ? others / (own + others) / count : 1 / (count + 1)
    // The connection keeps a little room where it is about to write.
    let most = missing - Self.lead(own)
    let divided = missing + headStart(of: connection, newcomers.count)
    let piece = min(max(Int64(Double(divided) * share), Self.pieceByteCountMin), most)
    guard piece > 0 else { return nil }
    let border = range.upper - piece
    let lower = (border + Self.pageByteCount - 1) / Self.pageByteCount * Self.pageByteCount
    return ByteRange(lower: min(lower, range.upper), upper: range.upper)
      .map { .share(of: connection.attempt, $0) }
  }

  /// The head start of the first connection. Others get one too when they begin, so they are not
  /// behind: many servers send a first second at once and only then limit their speed.
  private func headStart(of connection: DownloadConnection, _ newcomerCount: Int) -> Int64 {
    guard let lower = connection.range?.lower, endedConnectionSpeed == 0,
      fetching.allSatisfy({ $0.attempt == connection.attempt || $0.speed.bytesPerSecond == 0 })
    else { return 0 }
    // After a long time alone, that means little.
    let most = connection.missingByteCount / Int64(2 * (max(newcomerCount, 1) + 1))
    return min(max(0, connection.receivedUpTo - lower), most)
  }

  private func copy(of connection: DownloadConnection) -> Piece? {
    isSlow(connection) ? copy(of: connection, because: .slowness) : nil
  }

  func copy(of connection: DownloadConnection, because reason: CopyReason) -> Piece? {
    guard let range = connection.range else { return nil }
    let lower = max(range.lower, connection.receivedUpTo - Self.overlapByteCount)
    return ByteRange(lower: lower, upper: range.upper).map {
      .copy(of: connection.attempt, $0, because: reason)
    }
  }

  /// Whether it is far slower than another connection is expected to be. Only others show that: a
  /// connection alone may have all that the server gives.
  private func isSlow(_ connection: DownloadConnection) -> Bool {
    guard let left = connection.millisecondsLeft, left >= Self.copyMillisecondsLeftMin else {
      return false
    }
    let others = fetching.filter { $0.attempt != connection.attempt }.map(\.speed.bytesPerSecond)
    let expected = Self.median(others) ?? endedConnectionSpeed
    return expected / Self.copySpeedRatioMin >= connection.speed.bytesPerSecond
  }

  /// What a connection receives before the message to stop reaches it: 50 ms at its speed.
  private static func lead(_ bytesPerSecond: Double) -> Int64 {
    Int64(min(bytesPerSecond / 20, Double(pieceByteCountMin)))
  }

  private func speed(of connection: DownloadConnection, _ now: MonotonicTime) -> Int64 {
    if now.milliseconds(since: connection.lastProgressAt) >= Self.silentMillisecondsMax { return 0 }
    let known = connection.speed.bytesPerSecond
    return known > 0 ? known : typicalSpeed
  }

  /// The median of the connections with a speed; the expected speed of a new connection.
  private var typicalSpeed: Int64 {
    Self.median(fetching.map(\.speed.bytesPerSecond)) ?? 0
  }

  /// The median of the positive speeds.
  static func median(_ speeds: [Int64]) -> Int64? {
    let known = speeds.filter { $0 > 0 }.sorted()
    return known.isEmpty ? nil : known[known.count / 2]
  }

  /// How long the rest of a part takes at its own speed, or at that of the others if its own is not
  /// known; nil while neither is.
  private func millisecondsLeft(of connection: DownloadConnection, _ now: MonotonicTime) -> Int64? {
    let perSecond = speed(of: connection, now)
    guard perSecond > 0 else { return nil }
    let (scaled, overflow) = connection.missingByteCount.multipliedReportingOverflow(by: 1000)
    return overflow ? .max : scaled / perSecond
  }

  private func expectedEnd(_ connection: DownloadConnection, _ now: MonotonicTime) -> Double {
    let perSecond = speed(of: connection, now)
    // Without any speed the larger part ends later.
    guard perSecond > 0 else {
      return typicalSpeed > 0 ? .infinity : Double(connection.missingByteCount)
    }
    return Double(connection.missingByteCount) / Double(perSecond)
  }
}

extension DownloadConnection {
  /// Whether it fetches bytes that another connection has still to deliver.
  fileprivate func isAfter(restOf other: DownloadConnection) -> Bool {
    guard phase != .closing, let range, let theirs = other.range else { return false }
    return range.upper > other.receivedUpTo && range.lower < theirs.upper
      && receivedUpTo < theirs.upper && missingByteCount > 0
  }
}

/// How many connections a download should have, and which are closed because they add nothing.
extension ActiveDownload {
  /// How long our disk counts as the reason for the rate.
  private static let diskWaitMilliseconds: Int64 = 300

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
    guard let waitedForDiskAt else { return .free }
    let age = now.milliseconds(since: waitedForDiskAt)
    return age < Self.diskWaitMilliseconds ? .waitingForDisk : .free
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
