import KettleModel

/// Where one more connection does the most good.
///
/// Nowhere, while there is one and it is enough (`DivisionPolicy`). Else first what nobody
/// fetches. Then the part that will be ready last is divided, so that both ends
/// come at one time by what is known of the speeds. When what is left is too little to be divided,
/// and its connection is silent or much slower than others are, it is fetched a second time:
/// whichever copy comes first wins, and bytes that come twice are compared. So neither a slow
/// connection nor a dead one decides when the file is ready. A server that is slow for everybody is
/// asked once: a second copy would only share the speed of the first.
extension Fetch {
  package enum Piece: Sendable, Hashable {
    case gap(ByteRange)
    /// The end of what a lane was to bring; the lane ends where the piece begins, when it comes.
    case share(of: AttemptID, ByteRange)
    /// All that a lane is still to bring, and a little before it.
    case copy(of: AttemptID, ByteRange)
  }

  /// Less than this is not worth a request of its own.
  static let pieceByteCountMin: Int64 = 512 << 10
  /// Parts meet at borders of pages: a page that two of them share is written twice, and read.
  static let pageByteCount: Int64 = 4096
  /// What comes within this time is not divided.
  static let millisecondsLeftMin: Int64 = 200
  /// What is there within this time is not fetched a second time, whatever the others do.
  static let copyMillisecondsLeftMin: Int64 = 1000
  /// A second copy is to be there in a third of the time, or it is not worth its bytes.
  static let copySpeedRatioMin: Int64 = 3
  /// A lane that has the last piece may be silent for so long before it is fetched a second time.
  /// Servers that limit their speed send in bursts, up to a second apart.
  static let copySilentMillisecondsMin: Int64 = 2500
  /// A lane without a byte for so long counts as dead.
  static let silentMillisecondsMax: Int64 = 5000
  /// How much is asked for again before what is missing, to see that both are of one file.
  static let overlapByteCount: Int64 = 64 << 10

  /// - Parameter newcomerCount: how many connections may be begun; the piece is for the first.
  func nextPiece(
    total: Int64, newcomerCount: Int, _ policy: DivisionPolicy, at now: MonotonicTime
  ) -> Piece? {
    guard let all = ByteRange(lower: 0, upper: total), !isEnoughAlone(all, policy) else {
      return nil
    }
    if let gap = covered.gaps(in: all).max(by: { $0.byteCount < $1.byteCount }) {
      return .gap(gap)
    }
    let lanes = expectedLanes
    let flowing = lanes.filter { $0.phase == .flowing && $0.missingByteCount > 0 }
    // A part that two lanes are after is neither divided nor copied again.
    let alone = flowing.filter { lane in
      !lanes.contains { $0.attempt != lane.attempt && $0.isAfter(restOf: lane) }
    }
    guard let last = alone.max(by: { expectedEnd($0, now) < expectedEnd($1, now) }) else {
      return nil
    }
    return share(of: last, newcomerCount, at: now) ?? copy(of: last, at: now)
  }

  /// Whether the only connection so far needs no other.
  private func isEnoughAlone(_ all: ByteRange, _ policy: DivisionPolicy) -> Bool {
    guard lanes.count == 1, endedLaneSpeed == 0, let lane = lanes.first, lane.phase == .flowing
    else { return false }
    if lane.speed.bytesPerSecond >= policy.aloneBytesPerSecondMin { return true }
    let gaps = covered.gaps(in: all).reduce(0) { $0 + $1.byteCount }
    guard let left = lane.millisecondsLeft(for: gaps + lane.missingByteCount) else { return false }
    return left < policy.aloneMillisecondsMax
  }

  /// The lanes as they will be when all that ask have been answered.
  private var expectedLanes: [Lane] {
    var lanes = lanes
    for asking in self.lanes where asking.phase == .asking {
      guard let owner = asking.owner, let lower = asking.range?.lower,
        let index = lanes.firstIndex(where: { $0.attempt == owner })
      else { continue }
      lanes[index].shorten(to: min(lower, lanes[index].range?.upper ?? lower))
    }
    return lanes
  }

  /// The share of one newcomer, from the end, so that all have their part at the same time.
  private func share(of lane: Lane, _ newcomerCount: Int, at now: MonotonicTime) -> Piece? {
    let missing = lane.missingByteCount
    guard missing >= 2 * Self.pieceByteCountMin, let range = lane.range else { return nil }
    if let left = lane.millisecondsLeft, left < Self.millisecondsLeftMin { return nil }
    let count = Double(max(newcomerCount, 1))
    let own = Double(speed(of: lane, now))
    let others = Double(typicalSpeed) * count
    let share = own + others > 0 ? others / (own + others) / count : 1 / (count + 1)
    // Where a lane is about to write, it is left a little room.
    let most = missing - Self.lead(own)
    let divided = missing + headStart(of: lane, newcomerCount)
    let piece = min(max(Int64(Double(divided) * share), Self.pieceByteCountMin), most)
    guard piece > 0 else { return nil }
    let border = range.upper - piece
    let lower = (border + Self.pageByteCount - 1) / Self.pageByteCount * Self.pageByteCount
    return ByteRange(lower: min(lower, range.upper), upper: range.upper)
      .map { .share(of: lane.attempt, $0) }
  }

  /// What the first connection was given so far, others are given as well when they begin, and are
  /// not behind for it: many servers send a first second at once and only then keep to their speed.
  private func headStart(of lane: Lane, _ newcomerCount: Int) -> Int64 {
    guard let lower = lane.range?.lower, endedLaneSpeed == 0,
      lanes.allSatisfy({ $0.attempt == lane.attempt || $0.speed.bytesPerSecond == 0 })
    else { return 0 }
    // Where it was alone for long, that says little.
    let most = lane.missingByteCount / Int64(2 * (max(newcomerCount, 1) + 1))
    return min(max(0, lane.receivedUpTo - lower), most)
  }

  private func copy(of lane: Lane, at now: MonotonicTime) -> Piece? {
    let isSilent =
      now.milliseconds(since: lane.lastProgressAt) >= Self.copySilentMillisecondsMin
    guard isSilent || isSlow(lane), let range = lane.range else { return nil }
    let lower = max(range.lower, lane.receivedUpTo - Self.overlapByteCount)
    return ByteRange(lower: lower, upper: range.upper).map { .copy(of: lane.attempt, $0) }
  }

  /// Whether it is far behind what another connection may be expected to bring. Only others tell:
  /// a lane alone may have all that the server gives.
  private func isSlow(_ lane: Lane) -> Bool {
    guard let left = lane.millisecondsLeft, left >= Self.copyMillisecondsLeftMin else {
      return false
    }
    let others = lanes.filter { $0.attempt != lane.attempt }.map(\.speed.bytesPerSecond)
    let expected = Self.median(others) ?? endedLaneSpeed
    return expected / Self.copySpeedRatioMin >= lane.speed.bytesPerSecond
  }

  /// What a lane brings while the message to stop is on its way: 50 ms at its speed.
  private static func lead(_ bytesPerSecond: Double) -> Int64 {
    Int64(min(bytesPerSecond / 20, Double(pieceByteCountMin)))
  }

  private func speed(of lane: Lane, _ now: MonotonicTime) -> Int64 {
    if now.milliseconds(since: lane.lastProgressAt) >= Self.silentMillisecondsMax { return 0 }
    let known = lane.speed.bytesPerSecond
    return known > 0 ? known : typicalSpeed
  }

  /// The median of the lanes that have a speed; what a new lane may be expected to have.
  private var typicalSpeed: Int64 {
    Self.median(lanes.map(\.speed.bytesPerSecond)) ?? 0
  }

  /// Of those that have a speed.
  private static func median(_ speeds: [Int64]) -> Int64? {
    let known = speeds.filter { $0 > 0 }.sorted()
    return known.isEmpty ? nil : known[known.count / 2]
  }

  private func expectedEnd(_ lane: Lane, _ now: MonotonicTime) -> Double {
    let perSecond = speed(of: lane, now)
    // Without any speed the larger part is the later one.
    guard perSecond > 0 else {
      return typicalSpeed > 0 ? .infinity : Double(lane.missingByteCount)
    }
    return Double(lane.missingByteCount) / Double(perSecond)
  }
}

extension Lane {
  /// Whether it fetches what another has still to bring.
  fileprivate func isAfter(restOf other: Lane) -> Bool {
    guard phase != .leaving, let range, let theirs = other.range else { return false }
    return range.upper > other.receivedUpTo && range.lower < theirs.upper
      && receivedUpTo < theirs.upper && missingByteCount > 0
  }
}
