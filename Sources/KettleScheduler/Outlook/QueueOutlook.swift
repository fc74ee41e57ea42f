import KettleModel

/// When the transfers of the list are expected to start and to be complete, as estimated at one
/// moment.
package struct QueueOutlook: Sendable {
  /// What is expected of one transfer.
  package struct Expectation: Sendable, Hashable {
    /// Its place in the queue, from 1; nil for one that is not queued.
    package var rank: Int?
    /// nil if unknown, or if it runs.
    package var startsAt: WallTime?
    /// nil if unknown.
    package var readyAt: WallTime?
    /// Whether `readyAt` follows from an assumption, such as the size of a file.
    package var isGuess = false
  }

  package let madeAt: Moment
  /// When all of them are expected to be complete; nil if unknown.
  package let readyAt: WallTime?
  /// Whether `readyAt` follows from an assumption.
  package let isGuess: Bool
  /// The transfers that are to continue and have no estimate.
  package let unpredictableCount: Int

  private let running: [TransferID: QueueEstimate.Times]
  /// Ascending.
  private let keys: [QueueKey]
  private let ranks: [Int32]
  private let queued: [QueueEstimate.Times]

  /// The work that making it took, as `QueueEstimate.stepCount` counts it.
  private let stepCount: Int
  /// Whether queued transfers behind the last of `keys` were left out.
  private let isCut: Bool

  /// - Parameters:
  ///   - keys: those of `input.queued`, in the same order.
  ///   - furtherCount: queued transfers that were left out because there are too many.
  init(
    _ input: QueueEstimate.Input, running ids: [TransferID], keys: [QueueKey],
    furtherCount: Int, unpredictableCount: Int, at now: Moment
  ) {
    let estimate = QueueEstimate(input)
    madeAt = now
    running = Dictionary(zip(ids, estimate.running)) { first, _ in first }
    self.keys = keys
    isCut = furtherCount > 0
    queued = estimate.queued
    stepCount = estimate.stepCount
    var rank: Int32 = 0
    ranks = input.queued.map { item in
      guard item.notBeforeMilliseconds == 0 else { return 0 }
      rank += 1
      return rank
    }
    self.unpredictableCount = unpredictableCount + estimate.endlessCount
    // The rest is expected to continue like the part that was simulated.
    let stretch = 1 + Double(furtherCount) / Double(max(1, keys.count))
    isGuess = estimate.isGuess || furtherCount > 0
    readyAt = estimate.end.map { Self.time(Int64(Double($0) * stretch), after: now) }
  }

  /// How new an outlook must be.
  package enum Age: Sendable {
    /// About a second old.
    case current
    /// The latest one, while the next is being made.
    case shown

    /// The steps of an outlook that are worth a millisecond of its age. A step takes about 5 ns, so
    /// outlooks take 2 % of a processor, and 0.3 % for rows that are only shown.
    fileprivate var stepsPerMillisecond: Int64 {
      switch self {
      case .current: 4000
      case .shown: 600
      }
    }
  }

  /// An outlook is not made again within this time, however short the queue is.
  static let renewalMillisecondsMin: Int64 = 1000
  /// It is made again after this time, however long the queue is.
  package static let renewalMillisecondsMax: Int64 = 10_000
  /// Numbering a transfer and giving it a size takes as long as this many steps.
  private static let stepsPerTransfer = 10

  /// How old it becomes before it is made again: longer, the more work that is.
  package func renewalMilliseconds(_ age: Age) -> Int64 {
    let steps = Int64(stepCount + (running.count + keys.count) * Self.stepsPerTransfer)
    return min(
      max(steps / age.stepsPerMillisecond, Self.renewalMillisecondsMin),
      Self.renewalMillisecondsMax)
  }

  /// Whether a queued transfer of this place would be among its transfers.
  package func reaches(
    _ id: TransferID, priority: TransferPriority, position: Int64
  ) -> Bool {
    guard isCut, let last = keys.last else { return true }
    return QueueKey(priority: priority, position: position, id: id) < last
  }

  /// Returns what is expected of a transfer; nil for one that the estimate does not contain.
  package func expectation(
    of id: TransferID, priority: TransferPriority, position: Int64
  ) -> Expectation? {
    if let times = running[id] {
      return Expectation(
        readyAt: times.end.map { Self.time($0, after: madeAt) }, isGuess: times.isGuess)
    }
    let key = QueueKey(priority: priority, position: position, id: id)
    guard let index = index(of: key) else { return nil }
    let times = queued[index]
    return Expectation(
      rank: ranks[index] > 0 ? Int(ranks[index]) : nil,
      startsAt: times.start.map { Self.time($0, after: madeAt) },
      readyAt: times.end.map { Self.time($0, after: madeAt) }, isGuess: times.isGuess)
  }

  private func index(of key: QueueKey) -> Int? {
    var low = 0
    var high = keys.count
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low < keys.count && keys[low] == key ? low : nil
  }

  /// Rounded up to whole seconds, because no estimate is more precise.
  private static func time(_ milliseconds: Int64, after now: Moment) -> WallTime {
    let exact = now.wall.advanced(byMilliseconds: milliseconds).millisecondsSince1970
    let rest = exact % 1000
    return WallTime(millisecondsSince1970: exact).advanced(
      byMilliseconds: rest > 0 ? 1000 - rest : 0)
  }
}

/// One queued transfer, as far as an estimate needs it.
package struct QueueEntry: Sendable, Hashable {
  var key: QueueKey
  package var origin: Origin
  package var session: SessionID
  /// The user's queue; nil for a task.
  package var queue: QueueName?
  package var bytesReceived: Int64
  /// nil if unknown.
  package var bytesExpected: Int64?
  package var bytesPerSecondMax: Int64?
  /// How long it must not start.
  package var notBeforeMilliseconds: Int64 = 0
  /// How fast it is while it runs.
  var pace = QueueEstimate.Pace.shared

  package var id: TransferID { key.id }

  package init(
    id: TransferID, priority: TransferPriority, position: Int64, origin: Origin,
    session: SessionID, queue: QueueName? = nil, bytesReceived: Int64 = 0,
    bytesExpected: Int64? = nil
  ) {
    key = QueueKey(priority: priority, position: position, id: id)
    self.origin = origin
    self.session = session
    self.queue = queue
    self.bytesReceived = bytesReceived
    self.bytesExpected = bytesExpected
  }

  init(_ record: TransferRecord) {
    let spec = record.spec
    self.init(
      id: record.id, priority: spec.priority, position: record.queuePosition,
      origin: spec.url.origin, session: spec.session, queue: spec.queue,
      bytesReceived: record.resumeData?.durable.byteCount ?? 0,
      bytesExpected: record.resumeData?.totalByteCount ?? spec.task?.expectedReceiveByteCount)
    bytesPerSecondMax = spec.limitBytesPerSecond
  }
}
