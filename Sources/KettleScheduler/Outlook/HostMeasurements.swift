import KettleModel

/// What was measured of hosts while the service runs: how fast their transfers are together, and
/// how large their files are. Estimates are made from it.
package struct HostMeasurements: Sendable {
  private struct Host: Sendable {
    var byteCount: Int64 = 0
    var speed = SpeedEstimator()
    /// Bytes per second when it last delivered.
    var lastSpeed: Int64?
    var files = SizeTally()
    var sampledAt: MonotonicTime?
  }

  /// More hosts are not remembered.
  static let hostCountMax = 1024
  /// After a longer pause the measurement of the speed restarts.
  static let pauseMilliseconds: Int64 = 3000

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
        host.speed = SpeedEstimator()
      }
      host.sampledAt = now
      host.speed.sample(byteCount: host.byteCount, at: now)
      if host.speed.bytesPerSecond > 0 { host.lastSpeed = host.speed.bytesPerSecond }
      hosts[origin] = host
    }
  }

  /// Forgets the speeds: the limits of all transfers have changed.
  package mutating func forgetSpeeds() {
    for origin in hosts.keys {
      hosts[origin]?.speed = SpeedEstimator()
      hosts[origin]?.lastSpeed = nil
    }
  }

  /// The speed of all transfers of a host together, now or when it last delivered; nil if unknown.
  package func bytesPerSecond(of origin: Origin) -> Int64? { hosts[origin]?.lastSpeed }

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

  package init() {}

  package mutating func add(_ byteCount: Int64) {
    guard byteCount >= 0 else { return }
    count += 1
    sum += Int128(byteCount)
  }

  package mutating func add(_ other: SizeTally) {
    count += other.count
    sum += other.sum
  }

  /// nil while no size is known.
  package var mean: Double? { count > 0 ? Double(sum) / Double(count) : nil }

  /// The mean of these files and of `count` others with a mean of their own; nil while no size is
  /// known.
  func mean(with others: Double?, weighing count: Int) -> Double? {
    guard let others else { return mean }
    return (Double(sum) + others * Double(count)) / Double(self.count + count)
  }
}
