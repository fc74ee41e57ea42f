import KettleModel

/// Eviction: memory holds only a part of the list. When there are many dormant transfers, some are
/// evicted; they are loaded again when they are next in the queue or requested.
extension TransferScheduler {
  package var residentLimits: ResidentLimits {
    get { evicted.limits }
    set { evicted.limits = newValue }
  }

  /// How many queued transfers only the store has.
  package var evictedQueuedCount: Int { evicted.queuedCount }

  /// Whether memory contains enough transfers for an eviction to be worthwhile.
  package var shouldEvict: Bool { evicted.isWorthwhile(loadedCount: machines.count) }

  // MARK: Eviction

  /// Evicts dormant transfers. The caller ensures that no read from the store is in progress: its
  /// stale result would undo later changes.
  ///
  /// - Parameter isStored: whether the store has the transfer exactly as it is in memory.
  /// - Returns: the evicted transfers, by id.
  package mutating func evict(where isStored: (TransferID) -> Bool) -> [TransferID] {
    guard shouldEvict else { return [] }
    let spare = queue.spare(
      perOrigin: evicted.limits.queuedPerHostCount, countMax: evicted.limits.queuedCountMax)
    let resting = machines.values.filter { $0.isDormant && $0.state != .queued }.map(\.id)
    let chosen = (resting + spare.map(\.id)).filter { id in
      machines[id]?.isDormant == true && isStored(id)
    }
    for id in chosen { evict(id) }
    evicted.loadedCountAfterEviction = machines.count
    return chosen.sorted()
  }

  private mutating func evict(_ id: TransferID) {
    guard let machine = machines.removeValue(forKey: id) else { return }
    order.remove(QueuePosition(machine))
    queue.evict(id)
    alarms.remove(id)
    recordEvicted(machine.record)
  }

  private mutating func recordEvicted(_ record: TransferRecord) {
    evicted.insert(record, isCleared: isCleared(record))
    completeFrontiers(after: record)
  }

  private mutating func recordLoaded(_ record: TransferRecord) {
    evicted.remove(record, isCleared: isCleared(record))
    completeFrontiers(after: record)
  }

  /// When the whole queue is in memory again, the frontiers are not needed.
  private mutating func completeFrontiers(after record: TransferRecord) {
    if record.state == .queued, evicted.queuedCount <= 0 { queue.frontiers.complete() }
  }

  // MARK: New transfers

  /// Whether a new transfer that is in the store can stay out of memory: it would be evicted next,
  /// or its position in the queue is past what memory covers.
  func staysInStore(_ record: TransferRecord) -> Bool {
    // The pending read of the queue may predate this transfer.
    guard record.isDormant, evicted.pendingRead == nil else { return false }
    return shouldEvict || (record.state == .queued && !queue.covers(record))
  }

  /// Records that a new transfer is only in the store.
  mutating func leaveInStore(_ record: TransferRecord) {
    queue.recordEvicted(record)
    recordEvicted(record)
  }

  // MARK: Loading

  /// Loads transfers that were only in the store; those already in memory are unchanged.
  ///
  /// - Returns: those that were not in memory before.
  package mutating func load(
    _ records: [TransferRecord], at now: Moment
  ) -> (loaded: [TransferID], SchedulerOutput) {
    var output = SchedulerOutput()
    return (loadMissing(records, &output, at: now), output)
  }

  private mutating func loadMissing(
    _ records: [TransferRecord], _ output: inout SchedulerOutput, at now: Moment
  ) -> [TransferID] {
    var loaded: [TransferID] = []
    for record in records where machines[record.id] == nil && !pendingAdds.contains(record.id) {
      load(record, &output, at: now)
      recordLoaded(record)
      loaded.append(record.id)
    }
    return loaded
  }

  /// Loads a transfer into memory as the store has it.
  mutating func load(
    _ record: TransferRecord, _ output: inout SchedulerOutput, at now: Moment
  ) {
    var machine = TransferMachine(recovering: record, at: now)
    rules.holdBack(&machine)
    machines[record.id] = machine
    order.insert(QueuePosition(record))
    file(machine)
    // A crash may have left stale fields, and conditions may have changed.
    if machine.durableRecord != record {
      output.changes.append(.put(machine.durableRecord))
      output.changed.append(record.id)
    }
  }

  // MARK: Reading the queue

  /// Accepts the store's result. Dormant transfers that it should contain and does not are gone.
  ///
  /// - Parameters:
  ///   - records: the first queued transfers of the requested part, those in memory included. Their
  ///     number shows whether the part is complete, so deleted ones are counted too.
  ///   - gone: transfers no longer on the list; they are not loaded.
  package mutating func queueRead(
    _ request: QueueRead, _ records: [TransferRecord], gone: Set<TransferID> = [],
    at now: Moment
  ) -> (loaded: [TransferID], SchedulerOutput) {
    var output = SchedulerOutput()
    guard evicted.pendingRead == request else { return ([], output) }
    evicted.pendingRead = nil
    let last = records.count < request.countMax ? nil : records.last.map { QueueKey($0) }
    let loaded = loadMissing(
      records.filter { $0.isDormant && $0.state == .queued && !gone.contains($0.id) }, &output,
      at: now)
    if evicted.queuedCount > 0 {
      queue.frontiers.advance(
        request, upTo: last, hosts: Set(records.map(\.spec.url.origin)))
    }
    fillSlots(&output, at: now)
    return (loaded, output)
  }

  /// Requests the transfers past a frontier. The store returns those in memory too, so the
  /// requested count is increased by their number.
  mutating func read(_ unloaded: TransferQueue.Unloaded, _ output: inout SchedulerOutput) {
    guard evicted.pendingRead == nil else { return }
    let count = evicted.limits.queuedPerHostCount
    var request =
      switch unloaded {
      case .host(let origin):
        QueueRead.at(origin, countMax: count + loadedCount { $0 == origin })
      case .others(let known):
        QueueRead.elsewhere(than: known, countMax: count + loadedCount { !known.contains($0) })
      }
    request.leftOut = queue.queuesToLeaveOut
    evicted.pendingRead = request
    output.queueRead = request
  }

  private func loadedCount(at isMeant: (Origin) -> Bool) -> Int {
    machines.values.count { isMeant($0.spec.url.origin) }
  }

  /// Reads ahead before the last transfer in memory starts, so that no start waits for the store.
  mutating func readAhead(_ output: inout SchedulerOutput) {
    guard evicted.pendingRead == nil, evicted.queuedCount > 0 else { return }
    if let origin = queue.hostRunningShort(below: evicted.limits.readAheadCount) {
      read(.host(origin), &output)
    }
  }
}
