import KettleModel

/// A running transfer as measured at one moment.
package struct RunningSample: Sendable, Hashable {
  package var id: TransferID
  package var origin: Origin
  package var bytesPerSecond: Int64
  /// The transfer's own speed limit.
  package var bytesPerSecondMax: Int64?
  /// The part of the last seconds, from 0 to 1, in which its connections waited for the disk.
  package var diskShare: Double
  /// How long it has been receiving.
  package var milliseconds: Int64

  package init(
    id: TransferID, origin: Origin, bytesPerSecond: Int64, bytesPerSecondMax: Int64? = nil,
    diskShare: Double = 0, milliseconds: Int64
  ) {
    self.id = id
    self.origin = origin
    self.bytesPerSecond = bytesPerSecond
    self.bytesPerSecondMax = bytesPerSecondMax
    self.diskShare = diskShare
    self.milliseconds = milliseconds
  }
}

/// Decides what makes running transfers slow: a limit, the disk, the line or the server. Where the
/// measurements do not show it, there is no verdict.
package struct SpeedJudgement: Sendable {
  /// The speed of each host in one second.
  private typealias HostSpeeds = [Origin: Int64]

  /// A limit that is used to this part slows the transfer down.
  static let usedPart = 0.9
  /// A transfer that waits for the disk for this part of the time is slowed down by it.
  static let diskPart = 0.5
  /// A host this many times slower than another is slow.
  static let slownessFactor: Int64 = 4
  /// The speed of a younger transfer is not known well enough.
  static let youngMilliseconds: Int64 = 5000
  /// The seconds that show whether the line is full.
  static let lineSampleCount = 10
  /// The total of a full line varies by less than this part of it.
  static let lineTotalSpread = 0.1
  /// While the transfers that share it vary by more than this part.
  static let lineShareSpread = 0.3
  /// For this long a line counts as full after it was seen to be, while the total stays near it.
  static let lineMilliseconds: Int64 = 120_000
  static let lineNearness = 0.2
  /// Less is nothing.
  static let nothingBytesPerSecond: Int64 = 64

  private var verdicts: [TransferID: HeldBack] = [:]
  private var seconds: [HostSpeeds] = []
  private var sampledAt: MonotonicTime?
  private var seenLine: (bytesPerSecond: Int64, at: MonotonicTime)?

  package init() {}

  /// What slows down a running transfer; nil if nothing does, or it is not known.
  package func heldBack(_ id: TransferID) -> HeldBack? { verdicts[id] }

  /// The measured capacity of the line in bytes per second; nil while it is not full.
  package private(set) var lineBytesPerSecond: Int64?

  /// Whether a second has passed since the latest sample.
  package func isDue(at now: MonotonicTime) -> Bool {
    sampledAt.map { now.milliseconds(since: $0) >= 1000 } ?? true
  }

  /// Judges the transfers that run now. Called once a second while any does.
  package mutating func sample(
    _ samples: [RunningSample], totalMax: Int64?, at now: MonotonicTime
  ) {
    if let sampledAt, now.milliseconds(since: sampledAt) > 3000 { seconds = [] }
    sampledAt = now
    var speeds: HostSpeeds = [:]
    for one in samples { speeds[one.origin, default: 0] += max(0, one.bytesPerSecond) }
    seconds.append(speeds)
    if seconds.count > Self.lineSampleCount { seconds.removeFirst() }
    let total = speeds.values.reduce(0, +)
    if let line = measuredLine() { seenLine = (line, now) }
    lineBytesPerSecond = fullLine(total: total, at: now)
    let isTotalUsed = totalMax.map { Double(total) >= Double($0) * Self.usedPart } ?? false
    verdicts = [:]
    let fastest = Self.fastestOldHosts(samples, speeds)
    for one in samples {
      verdicts[one.id] = verdict(
        on: one, speeds: speeds, fastest: fastest, total: isTotalUsed ? totalMax : nil)
    }
  }

  /// The two fastest hosts whose speed is known well enough: each host has one other among them.
  private static func fastestOldHosts(
    _ samples: [RunningSample], _ speeds: HostSpeeds
  ) -> [(origin: Origin, bytesPerSecond: Int64)] {
    let old = Set(samples.lazy.filter { $0.milliseconds >= youngMilliseconds }.map(\.origin))
    return old.map { ($0, speeds[$0] ?? 0) }.sorted { $0.1 > $1.1 }.prefix(2).map { $0 }
  }

  private func verdict(
    on one: RunningSample, speeds: HostSpeeds,
    fastest: [(origin: Origin, bytesPerSecond: Int64)], total: Int64?
  ) -> HeldBack? {
    let speed = Double(one.bytesPerSecond)
    if let most = one.bytesPerSecondMax, speed >= Double(most) * Self.usedPart {
      return HeldBack(.ownLimit, bytesPerSecond: most)
    }
    if let total { return HeldBack(.totalLimit, bytesPerSecond: total) }
    guard one.milliseconds >= Self.youngMilliseconds else { return nil }
    if one.diskShare >= Self.diskPart { return HeldBack(.disk) }
    if let line = lineBytesPerSecond { return HeldBack(.line, bytesPerSecond: line) }
    let own = speeds[one.origin] ?? 0
    let best = fastest.first { $0.origin != one.origin }?.bytesPerSecond
    if let best, best >= Self.nothingBytesPerSecond, own <= best / Self.slownessFactor {
      return HeldBack(.server, subject: one.origin.host)
    }
    return own < Self.nothingBytesPerSecond ? HeldBack(.unknown, subject: one.origin.host) : nil
  }

  /// The capacity of the line if it is full at this total.
  private func fullLine(total: Int64, at now: MonotonicTime) -> Int64? {
    guard let seenLine, now.milliseconds(since: seenLine.at) <= Self.lineMilliseconds else {
      return nil
    }
    let difference = Double(total - seenLine.bytesPerSecond).magnitude
    return difference <= Double(seenLine.bytesPerSecond) * Self.lineNearness
      ? seenLine.bytesPerSecond : nil
  }

  /// A line is full when the total stays the same while its parts change: what one host loses,
  /// another gains. Hosts that are slow by themselves do not do that.
  private func measuredLine() -> Int64? {
    guard seconds.count == Self.lineSampleCount else { return nil }
    let totals = seconds.map { $0.values.reduce(0, +) }
    guard Self.spread(of: totals) <= Self.lineTotalSpread else { return nil }
    let always = Set(seconds[0].keys).filter { host in seconds.allSatisfy { $0[host] != nil } }
    let changing = always.filter { host in
      Self.spread(of: seconds.compactMap { $0[host] }) >= Self.lineShareSpread
    }
    return changing.count >= 2 ? totals.reduce(0, +) / Int64(totals.count) : nil
  }

  /// The difference between the largest and the smallest, as a part of their average.
  private static func spread(of speeds: [Int64]) -> Double {
    guard let least = speeds.min(), let most = speeds.max(), most > 0 else { return .infinity }
    return Double(most - least) * Double(speeds.count) / Double(max(1, speeds.reduce(0, +)))
  }
}

extension HeldBack {
  fileprivate init(_ cause: Cause, bytesPerSecond: Int64) {
    self.init(cause)
    self.bytesPerSecond = bytesPerSecond
  }
}

/// What was measured of hosts while the service runs: how fast their transfers are together, and
/// how large their files are. Estimates are made from it.
package struct HostMeasurements: Sendable {
  private struct Host: Sendable {
    var byteCount: Int64 = 0
    var speed = HostMeasurements.newSpeed
    var present = SpeedEstimator()
    /// When its bytes last grew in number.
    var deliveredAt: MonotonicTime?
    private var deliveredByteCount: Int64 = 0
    /// Bytes per second when it last delivered.
    var lastSpeed: Int64?
    var files = SizeTally()
    var sampledAt: MonotonicTime?

    /// Measures the speed. A pause counts until it is longer than one between two files.
    mutating func sample(at now: MonotonicTime) {
      sampledAt = now
      speed.sample(byteCount: byteCount, at: now)
      present.sample(byteCount: byteCount, at: now)
      if byteCount > deliveredByteCount { (deliveredByteCount, deliveredAt) = (byteCount, now) }
      guard let deliveredAt, speed.bytesPerSecond > 0,
        now.milliseconds(since: deliveredAt) <= HostMeasurements.gapMilliseconds
      else { return }
      lastSpeed = speed.bytesPerSecond
    }
  }

  /// More hosts are not remembered.
  static let hostCountMax = 1024
  /// After a longer pause the measurement of the speed restarts.
  static let pauseMilliseconds: Int64 = 3000
  /// A host that delivers nothing for longer keeps its last speed: how long it takes to deliver
  /// again says nothing about how fast it will be.
  static let gapMilliseconds: Int64 = 10_000

  /// Slow to change, because the times of completion of all queued transfers depend on it.
  private static var newSpeed: SpeedEstimator { SpeedEstimator(timeConstantMilliseconds: 20_000) }

  private var hosts: [Origin: Host] = [:]
  private var sessionFiles: [SessionID: SizeTally] = [:]

  package init() {}

  /// Records bytes that have arrived.
  package mutating func recordBytes(_ byteCount: Int64, from origin: Origin) {
    guard byteCount > 0, remembers(origin) else { return }
    hosts[origin, default: Host()].byteCount += byteCount
  }

  /// Records a file that is complete.
  package mutating func recordFile(
    byteCount: Int64, from origin: Origin, session: SessionID
  ) {
    if sessionFiles[session] != nil || sessionFiles.count < Self.hostCountMax {
      sessionFiles[session, default: SizeTally()].add(byteCount)
    }
    guard remembers(origin) else { return }
    hosts[origin, default: Host()].files.add(byteCount)
  }

  /// Measures the hosts of running transfers. Called about once a second while any runs.
  package mutating func sample(_ running: Set<Origin>, at now: MonotonicTime) {
    for origin in running where remembers(origin) {
      var host = hosts[origin] ?? Host()
      if let sampledAt = host.sampledAt,
        now.milliseconds(since: sampledAt) > Self.pauseMilliseconds
      {
        host.speed = Self.newSpeed
        host.present = SpeedEstimator()
      }
      host.sample(at: now)
      hosts[origin] = host
    }
  }

  /// Forgets the speeds: the limits of all transfers have changed.
  package mutating func forgetSpeeds() {
    for origin in hosts.keys {
      hosts[origin]?.speed = Self.newSpeed
      hosts[origin]?.present = SpeedEstimator()
      hosts[origin]?.lastSpeed = nil
    }
  }

  /// The speed of all transfers of a host together, now or when it last delivered; nil if unknown.
  package func bytesPerSecond(of origin: Origin) -> Int64? { hosts[origin]?.lastSpeed }

  /// The same, now.
  func presentBytesPerSecond(of origin: Origin) -> Int64 {
    hosts[origin]?.present.bytesPerSecond ?? 0
  }

  /// Whether the host is about as fast now as it was lately, so that its speed can be compared with
  /// that of another.
  func isSteady(_ origin: Origin) -> Bool {
    guard let host = hosts[origin], let speed = host.lastSpeed else { return false }
    let part = Double(host.present.bytesPerSecond) / Double(max(1, speed))
    return (0.5...2).contains(part)
  }

  /// The complete files of a host.
  package func files(of origin: Origin) -> SizeTally { hosts[origin]?.files ?? SizeTally() }

  /// The complete files of a session.
  package func files(of session: SessionID) -> SizeTally { sessionFiles[session] ?? SizeTally() }

  private func remembers(_ origin: Origin) -> Bool {
    hosts[origin] != nil || hosts.count < Self.hostCountMax
  }
}

/// The number and total size of files whose size is known.
package struct SizeTally: Sendable, Hashable {
  package private(set) var count = 0
  /// Servers can report any size, so the sum is wider.
  private var sum: Int128 = 0
  private var least: Int64 = .max
  private var most: Int64 = 0

  /// Fewer files show nothing about the next one.
  private static let telling = 3
  /// Sizes that differ by a larger factor show nothing about the next one.
  private static let alikeFactor = 4.0

  package init() {}

  package mutating func add(_ byteCount: Int64) {
    guard byteCount >= 0 else { return }
    count += 1
    sum += Int128(byteCount)
    least = min(least, byteCount)
    most = max(most, byteCount)
  }

  package mutating func add(_ other: SizeTally) {
    count += other.count
    sum += other.sum
    least = min(least, other.least)
    most = max(most, other.most)
  }

  /// nil while no size is known.
  package var mean: Double? { count > 0 ? Double(sum) / Double(count) : nil }

  /// Whether the next file is likely to be about as large: enough files are known, and their sizes
  /// are alike.
  var isTelling: Bool {
    count >= Self.telling && Double(most) <= Double(least) * Self.alikeFactor
  }

  /// The mean of these files and of `count` others with a mean of their own; nil while no size is
  /// known.
  func mean(with others: Double?, weighing count: Int) -> Double? {
    guard let others else { return mean }
    return (Double(sum) + others * Double(count)) / Double(self.count + count)
  }
}
