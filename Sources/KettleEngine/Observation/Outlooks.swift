import KettleModel
import KettleScheduler

/// The outlooks made so far, and what is known of the queue in the store.
struct Outlooks: Sendable {
  /// The queue as it was in the store.
  struct Reading: Sendable {
    var queue: StoredQueue
    var totalCount: Int
    var readAt: MonotonicTime
    var evictionCount: Int
  }

  /// The queue in the store is read again after this time if transfers were evicted since.
  private static let storedMilliseconds: Int64 = 30_000

  /// Reads the queue. Outlooks are made on its queue, because they would delay the engine.
  let reader: StoreReader
  var latest: QueueOutlook?
  /// Finished when the outlook that is being made is there.
  private(set) var pending: Completion<QueueOutlook>?
  var stored: Reading?
  /// How often the set of transfers that only the store has has grown.
  private(set) var evictionCount = 0

  init(_ archive: any TransferArchive, on work: WorkSource) {
    reader = StoreReader(archive, "kettle.outlook", on: work)
  }

  /// Returns the latest outlook; nil if a new one must be waited for.
  func latest(
    _ age: QueueOutlook.Age, at now: MonotonicTime
  ) -> (outlook: QueueOutlook, isOutdated: Bool)? {
    guard let latest else { return nil }
    let milliseconds = now.milliseconds(since: latest.madeAt.monotonic)
    if milliseconds < latest.renewalMilliseconds(age) { return (latest, isOutdated: false) }
    // A client that is shown rows several times a second does not wait for it.
    if case .shown = age, milliseconds < QueueOutlook.renewalMillisecondsMax {
      return (latest, isOutdated: true)
    }
    return nil
  }

  /// The queue in the store, if it need not be read again.
  func knownQueue(at now: MonotonicTime) -> Reading? {
    guard let stored else { return nil }
    let isKnown =
      stored.evictionCount == evictionCount
      || now.milliseconds(since: stored.readAt) < Self.storedMilliseconds
    return isKnown ? stored : nil
  }

  mutating func noteEviction() { evictionCount += 1 }

  mutating func begin() { pending = Completion() }

  mutating func finish(_ outlook: QueueOutlook) {
    latest = outlook
    pending?.finish(outlook)
    pending = nil
  }

  /// Frees what is made again when a client looks.
  mutating func release() {
    guard pending == nil else { return }
    latest = nil
    stored = nil
  }
}

/// What rows need from the engine to say why their transfers do not move, and when they will be
/// complete.
struct RowExplanations: Sendable {
  var now: WallTime
  var census: QueueCensus
  var outlook: QueueOutlook
  /// Since when transfers are queued.
  var since: [TransferID: WallTime] = [:]
  /// The number of connections that transfers have of their own.
  var connections: [TransferID: Int] = [:]

  /// Returns the row with what is known about it now. The outlook may be older than the row.
  func explain(_ row: TransferSnapshot) -> TransferSnapshot {
    var row = row
    let expectation = outlook.expectation(
      of: row.id, priority: row.priority, position: row.queuePosition ?? 0)
    // How fast an object store takes its file is not known.
    let isForeseen = row.state.continuesByItself && row.storedByteCount == nil
    row.readyAt = isForeseen ? expectation?.readyAt : nil
    row.readyAtIsGuess = row.readyAt != nil && expectation?.isGuess == true ? true : nil
    if row.state == .running {
      row.secondsLeft = row.readyAtIsGuess == true ? nil : row.readyAt?.wholeSeconds(after: now)
    }
    guard row.state == .queued, case .success(let parsed) = TransferURL.parse(row.url) else {
      return row
    }
    var heldBack = census.heldBack(
      QueueCensus.Place(
        origin: parsed.url.origin, session: row.session, queue: row.queueOfUser,
        priority: row.priority, connections: connections[row.id]))
    heldBack.rank = expectation?.rank
    heldBack.since = since[row.id]
    // A host's limit rises for the first one in the queue; the others start later.
    let isLater = heldBack.cause == .hostLimit && heldBack.rank != 1
    heldBack.until = (isLater ? nil : heldBack.until) ?? expectation?.startsAt
    row.heldBack = heldBack
    return row
  }
}

extension TransferState {
  fileprivate var continuesByItself: Bool {
    switch self {
    case .scheduled, .queued, .running, .waiting, .verifying: true
    case .idle, .paused, .completed, .failed: false
    }
  }
}
