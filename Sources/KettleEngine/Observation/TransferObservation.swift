import KettleModel
import KettleScheduler

/// What was observed of a transfer while the service runs.
struct TransferObservation: Sendable {
  var speed = SpeedEstimator()
  private(set) var pace = PaceEstimator()
  private(set) var recentSpeeds = SpeedHistory()
  /// How fast the parts of the file arrived, and up to where each attempt was part of that.
  private(set) var arrivalSpeeds = ArrivalSpeeds()
  private var arrivedUpTo: [AttemptID: Int64] = [:]
  /// The bytes of the open file that are part of the measurements.
  private var measuredByteCount: Int64 = 0
  /// When the first bytes of this run arrived.
  private(set) var receivingSince: MonotonicTime?
  private var work = Work()
  /// The part of the last ticks, from 0 to 1, in which connections waited for the disk.
  private(set) var diskShare = 0.0
  /// When it entered its state; nil if that was before this run of the service.
  private(set) var standingSince: WallTime?
  /// Bytes at the last progress event.
  var toldByteCount: Int64 = 0
  /// Bytes sent of the current request's body.
  var sentByteCount: Int64?
  /// What the bin has since it was stopped.
  var kept: KeptBytes?
  var lastHead: ResponseHead?
  var currentURL: TransferURL?
  /// The redirect targets of the last run.
  private(set) var redirects: [TransferURL] = []
  private var history: [HistoryEntry] = []
  private var notedStanding: Standing?

  static let historyCountMax = 100

  /// Whether a server has ever responded.
  var hasRun: Bool { lastHead != nil }

  /// The content of a history line; a new line is added only when it changes.
  private struct Standing: Sendable, Hashable {
    var state: TransferState
    var reason: WaitingReason?
    var goesOnAt: WallTime?
    var failure: TransferFailure?
    var freshStart: FreshStartReason?
  }

  /// Records the speeds of what the connections have received since the last call.
  mutating func noteArrivals(_ connections: [LiveConnection], total: Int64?) {
    guard let total else { return }
    var upTo: [AttemptID: Int64] = [:]
    for connection in connections {
      guard let start = connection.range?.lower else { continue }
      let lower = max(start, arrivedUpTo[connection.attempt] ?? start)
      upTo[connection.attempt] = max(lower, connection.receivedUpTo)
      guard let range = ByteRange(lower: lower, upper: connection.receivedUpTo) else { continue }
      arrivalSpeeds.record(range, bytesPerSecond: connection.bytesPerSecond, total: total)
    }
    arrivedUpTo = upTo
  }

  /// Records that so many bytes are reported. Returns how many of them were not before.
  mutating func tell(_ byteCount: Int64, at now: MonotonicTime) -> Int64 {
    speed.sample(byteCount: byteCount, at: now)
    pace.sample(byteCount: byteCount, at: now)
    recentSpeeds.sample(byteCount: byteCount, at: now)
    defer { toldByteCount = byteCount }
    return byteCount - min(toldByteCount, byteCount)
  }

  /// Returns how many bytes are new, given the number of all bytes of the open file.
  mutating func newBytes(receivedByteCount: Int64) -> Int64 {
    // Fewer than before are those of another file.
    let before = measuredByteCount <= receivedByteCount ? measuredByteCount : 0
    measuredByteCount = receivedByteCount
    return receivedByteCount - before
  }

  /// Records the bytes in the open file and whether connections wait for the disk at this tick.
  mutating func noteTick(byteCount: Int64, waitsForDisk: Bool, at now: MonotonicTime) {
    receivingSince = receivingSince ?? now
    work.add(upTo: byteCount, at: now)
    diskShare += ((waitsForDisk ? 1 : 0) - diskShare) / 10
  }

  /// Forgets the speeds, which were measured under another limit.
  mutating func forgetSpeeds() {
    speed = SpeedEstimator()
    pace = PaceEstimator()
  }

  /// Forgets what was measured of an attempt that is over.
  mutating func rest() {
    forgetSpeeds()
    recentSpeeds.rest()
    receivingSince = nil
    work.rest()
    diskShare = 0
  }

  /// Returns how the bytes of a completed file arrived; nil if nothing is worth keeping. Every row
  /// contains it, so a typical small file gets nil.
  func arrival(ofSize byteCount: Int64) -> Arrival? {
    let ridge = arrivalSpeeds.ridge(ByteRangeSet(prefix: byteCount), total: byteCount)
    let isUsual = history.allSatisfy { $0.event.isUsual }
    let arrival = Arrival(
      bytesPerSecond: work.bytesPerSecond,
      ridge: ridge.flatMap { Set($0.parts).count > 1 ? $0 : nil },
      events: isUsual ? nil : lastEvents)
    return arrival == Arrival() ? nil : arrival
  }

  /// The last events whose texts are short together: a server chooses how long they are.
  private var lastEvents: [HistoryEntry] {
    var left = Arrival.textByteCountMax
    let kept = history.suffix(Arrival.eventCountMax).reversed().prefix { entry in
      left -= entry.text.utf8.count
      return left >= 0
    }
    return kept.reversed()
  }

  // MARK: History

  /// Returns the lines of its history. Its addition is the first, until there are too many; of one
  /// that ended before this run of the service the record has the last ones.
  func history(
    addedAt time: WallTime, recorded: [HistoryEntry] = [], ended end: HistoryEntry? = nil
  ) -> [HistoryEntry] {
    if history.count >= Self.historyCountMax { return history }
    let known = history.isEmpty ? recorded + (end.map { [$0] } ?? []) : history
    return [HistoryEntry(at: time, .added)] + known
  }

  mutating func note(_ event: HistoryEvent, at time: WallTime) {
    if history.last?.event == event { return }
    history.append(HistoryEntry(at: time, event))
    if history.count > Self.historyCountMax { history.removeFirst() }
  }

  mutating func note(_ record: TransferRecord, at time: WallTime) {
    let standing = Standing(
      state: record.state, reason: record.reason, goesOnAt: record.goesOnAt,
      failure: record.failure, freshStart: record.freshStart)
    guard standing != notedStanding else { return }
    if standing.state != notedStanding?.state || standing.reason != notedStanding?.reason {
      standingSince = time
    }
    notedStanding = standing
    note(HistoryEvent(record, at: time), at: time)
    if record.state != .idle { kept = nil }
    switch record.state {
    // A list of a million must not keep five minutes of speeds for each transfer that is over.
    case .idle, .completed, .failed: recentSpeeds = SpeedHistory()
    case .scheduled, .queued, .running, .waiting, .paused, .verifying: break
    }
  }

  /// Notes the first attempt of a run, or a redirect of that run.
  mutating func opens(_ url: TransferURL, redirectCount: Int, at time: WallTime) {
    if redirectCount == 0 {
      redirects = []
    } else {
      redirects.append(url)
      note(.redirected(url: url.text), at: time)
    }
  }
}

/// The bytes and the time of the ticks in which a transfer received.
private struct Work: Sendable {
  private var byteCount: Int64 = 0
  private var milliseconds: Int64 = 0
  private var last: (byteCount: Int64, at: MonotonicTime)?

  /// nil before the first second.
  var bytesPerSecond: Int64? {
    guard milliseconds >= 1000, byteCount > 0 else { return nil }
    return Int64(Double(byteCount) / Double(milliseconds) * 1000)
  }

  mutating func add(upTo total: Int64, at now: MonotonicTime) {
    if let last {
      byteCount += max(0, total - last.byteCount)
      milliseconds += max(0, now.milliseconds(since: last.at))
    }
    last = (total, now)
  }

  mutating func rest() { last = nil }
}

extension HistoryEvent {
  /// Whether a transfer without incident has it too.
  fileprivate var isUsual: Bool {
    switch self {
    case .added, .scheduled, .queued, .verifying, .completed: true
    case .running(let fromZero): fromZero == nil
    case .stopped, .waiting, .paused, .failed, .limited, .prioritized, .relinked, .changed,
      .accepted, .remembered, .askedAgain, .moved, .assigned, .undone, .redirected, .addressLeft,
      .limitLearned, .unpacked, .discarded, .damaged:
      false
    }
  }

  /// A control's change that no state shows; nil for other controls.
  init?(_ control: TransferScheduler.Control) {
    switch control {
    case .limit(let limit): self = .limited(bytesPerSecond: limit)
    case .prioritize(let priority): self = .prioritized(priority: priority)
    case .relink(let url, _, _): self = .relinked(url: url.text)
    case .change: self = .changed
    case .accept: self = .accepted
    case .remember: self = .remembered
    case .takeOver(let difference) where !difference.isEmpty:
      self = .askedAgain(parts: difference.parts)
    case .takeOver, .start, .startFresh, .pause, .stop, .remove, .reset, .cancel: return nil
    }
  }
}
