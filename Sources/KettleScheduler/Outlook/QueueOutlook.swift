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
  }

  package let madeAt: Moment
  /// When all of them are expected to be complete; nil if unknown.
  package let readyAt: WallTime?
  /// The transfers that are to continue and have no estimate.
  package let unpredictableCount: Int

  private let running: [TransferID: QueueEstimate.Times]
  /// Ascending.
  private let keys: [QueueKey]
  private let ranks: [Int32]
  private let queued: [QueueEstimate.Times]

  /// - Parameters:
  ///   - entries: those of `estimate.queued`, in the same order.
  ///   - furtherCount: queued transfers that were left out because there are too many.
  init(
    _ estimate: QueueEstimate, running ids: [TransferID], entries: [QueueEntry],
    furtherCount: Int, unpredictableCount: Int, at now: Moment
  ) {
    madeAt = now
    running = Dictionary(zip(ids, estimate.running)) { first, _ in first }
    keys = entries.map(\.key)
    queued = estimate.queued
    var rank: Int32 = 0
    ranks = entries.map { entry in
      guard entry.notBeforeMilliseconds == 0 else { return 0 }
      rank += 1
      return rank
    }
    let unknownCount = (estimate.running + estimate.queued).count { $0.end == nil }
    self.unpredictableCount = unpredictableCount + unknownCount
    // The rest is expected to continue like the part that was simulated.
    let stretch = 1 + Double(furtherCount) / Double(max(1, entries.count))
    readyAt = estimate.end.map { Self.time(Int64(Double($0) * stretch), after: now) }
  }

  /// Returns what is expected of a transfer; nil for one that the estimate does not contain.
  package func expectation(
    of id: TransferID, priority: TransferPriority, position: Int64
  ) -> Expectation? {
    if let times = running[id] {
      return Expectation(readyAt: times.end.map { Self.time($0, after: madeAt) })
    }
    let key = QueueKey(priority: priority, position: position, id: id)
    guard let index = index(of: key) else { return nil }
    let times = queued[index]
    return Expectation(
      rank: ranks[index] > 0 ? Int(ranks[index]) : nil,
      startsAt: times.start.map { Self.time($0, after: madeAt) },
      readyAt: times.end.map { Self.time($0, after: madeAt) })
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
