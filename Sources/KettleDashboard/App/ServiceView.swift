import KettleModel

/// What the dashboard knows about the service: the connection, the totals and its notices.
package struct ServiceView: Hashable, Sendable {
  package internal(set) var link = LinkState.connecting
  package internal(set) var speeds = TotalSpeedHistory()
  /// The notices of the service that is connected now, or was last.
  package internal(set) var notices: [String] = []
  /// nil until the first totals arrive.
  private var received: Totals?
  /// The downloads since the last time that nothing was under way; nil while nothing is.
  private var run: DownloadRun?
  /// The last run that has ended; nil once the user has seen it.
  package internal(set) var endedRun: DownloadRun?

  package var totals: Totals { received ?? Totals() }

  var hasTotals: Bool { received != nil }

  /// Records new totals. Returns the effects that alert a user who looks elsewhere: all transfers
  /// have ended, or one has failed.
  mutating func receive(_ totals: Totals, at now: MonotonicTime) -> [DashboardEffect] {
    let effects = attention(to: totals)
    follow(totals, at: now)
    received = totals
    speeds.record(totals.bytesPerSecond, at: now)
    return effects
  }

  /// Notes when a run of downloads begins and ends. One that was under way before the dashboard was
  /// opened has no known beginning.
  private mutating func follow(_ next: Totals, at now: MonotonicTime) {
    guard let received else { return }
    let wasBusy = received.underWayCount > 0
    if next.underWayCount > 0 {
      if !wasBusy { (run, endedRun) = (DownloadRun(beganAt: now, received), nil) }
      run?.note(next.batch)
      return
    }
    guard wasBusy, var ended = run else { return }
    run = nil
    ended.end(next, at: now)
    if ended.fileCount > 0 { endedRun = ended }
  }

  mutating func tick(at now: MonotonicTime) { speeds.record(totals.bytesPerSecond, at: now) }

  mutating func connectionLost(at now: MonotonicTime) {
    switch link {
    case .lost, .silent, .stopped: return
    case .connecting, .connected: link = .lost(since: now)
    }
    received?.bytesPerSecond = 0
  }

  mutating func fellSilent(at now: MonotonicTime) {
    switch link {
    case .silent: return
    case .lost(let since): link = .silent(since: since)
    case .connecting, .connected, .stopped: link = .silent(since: now)
    }
    received?.bytesPerSecond = 0
  }

  mutating func stopped(at now: WallTime) {
    if case .stopped = link { return }
    link = .stopped(at: now)
    received?.bytesPerSecond = 0
  }

  /// Whether there was a connection.
  var isLinkLost: Bool {
    switch link {
    case .lost, .silent, .stopped: true
    case .connecting, .connected: false
    }
  }

  /// Compares the new totals with the previous ones; the first totals count as no change.
  private func attention(to next: Totals) -> [DashboardEffect] {
    guard let received, link.isConnected else { return [] }
    let completed = Self.difference(next.count(.completed), received.count(.completed))
    let failed = Self.difference(next.count(.failed), received.count(.failed))
    // Transfers that were paused or removed are no longer under way either. They need no
    // notification: the user did it here.
    let hasEnded = received.underWayCount > 0 && next.underWayCount == 0 && completed + failed > 0
    guard failed > 0 || hasEnded else { return [] }
    let text =
      hasEnded
      ? Strings.allEnded(failedCount: next.count(.failed)) : Strings.newlyFailed(failed)
    return [.terminal(.ring), .terminal(.announce(text))]
  }

  static func difference(_ next: Int, _ before: Int) -> Int {
    let (difference, overflow) = next.subtractingReportingOverflow(before)
    return overflow ? 0 : min(max(0, difference), 1 << 40)
  }
}

extension Totals {
  /// The number of transfers under way: they run now, or will without the user's help.
  var underWayCount: Int {
    [TransferState.queued, .running, .waiting, .verifying].reduce(0) { sum, state in
      let (next, overflow) = sum.addingReportingOverflow(max(0, count(state)))
      return overflow ? .max : next
    }
  }
}

/// The downloads from the time that something was under way to the time that nothing was.
package struct DownloadRun: Hashable, Sendable {
  private let beganAt: MonotonicTime
  private let doneBefore: Int
  private let failedBefore: Int
  /// The last batch. It ends before the collection that its files belong to.
  private var batch: BatchProgress?
  /// The transfers of the batches before it.
  private var earlierCount = 0
  private(set) var fileCount = 0
  private(set) var failedCount = 0
  private(set) var byteCount: Int64 = 0
  private(set) var seconds: Int64 = 0

  init(beganAt: MonotonicTime, _ totals: Totals) {
    self.beganAt = beganAt
    doneBefore = totals.count(.completed)
    failedBefore = totals.count(.failed)
  }

  /// Called while something is under way.
  mutating func note(_ next: BatchProgress?) {
    guard let next else { return }
    if let batch, next.transferCount < batch.transferCount {
      earlierCount = min(earlierCount + batch.countOfFiles, 1 << 40)
    }
    batch = next
  }

  /// - Parameter totals: the first ones with nothing under way.
  mutating func end(_ totals: Totals, at now: MonotonicTime) {
    // The totals count a collection beside its files, and a batch has its files alone.
    let countMax = batch.map { $0.countOfFiles + earlierCount } ?? .max
    fileCount = min(ServiceView.difference(totals.count(.completed), doneBefore), countMax)
    failedCount = min(
      ServiceView.difference(totals.count(.failed), failedBefore), countMax - fileCount)
    byteCount = max(0, batch?.bytesExpected ?? 0)
    seconds = max(0, now.milliseconds(since: beganAt) / 1000)
  }
}

extension BatchProgress {
  fileprivate var countOfFiles: Int { min(max(0, transferCount), 1 << 40) }
}

/// The state of the connection to the service.
package enum LinkState: Hashable, Sendable {
  /// Not connected yet.
  case connecting
  case connected
  /// Was connected before; the dashboard is trying to reconnect.
  case lost(since: MonotonicTime)
  /// Was connected before; the service is there, but does not answer.
  case silent(since: MonotonicTime)
  /// Was connected before; the user has stopped the service.
  case stopped(at: WallTime)

  package var isConnected: Bool {
    switch self {
    case .connected: true
    case .connecting, .lost, .silent, .stopped: false
    }
  }
}

/// A report about the connection from outside the model.
package enum LinkReport: Hashable, Sendable {
  case connecting, connected, lost
  /// Follows `lost` when the service is there, but does not answer.
  case silent
  /// Follows `lost` when the service was stopped on purpose: it is not started again by itself.
  case stopped
}
