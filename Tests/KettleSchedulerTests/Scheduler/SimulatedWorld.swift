import KettleModel
import KettleScheduler

/// A network, a disk and a store in memory. They perform the scheduler's actions in any order that
/// real ones could, and record every violation.
struct SimulatedWorld {
  /// An operation in progress, which ends as an event.
  enum Pending: Hashable {
    case head(AttemptID)
    case opening(TransferID, AttemptID, BodyPlan)
    case bytes(AttemptID)
    case end(AttemptID)
    case checkpoint(TransferID)
    case closing(TransferID, OperationID)
    case commit([JournalChange], [TransferAction])
    /// A commit of new transfers.
    case adding([JournalChange])
    /// They are committed, but the scheduler has not been notified.
    case admitting([JournalChange])
    case checking(TransferID, OperationID, ResumeData)
    case digest(TransferID, OperationID)
    case unpacking(TransferID, OperationID, ResumeData)
    case placing(TransferID, OperationID, ResumeData)
    case discarding(TransferID, OperationID, ResumeData)
    case reading(QueueRead)
    /// The store has responded, but the scheduler has not received the records.
    case answer(QueueRead, [TransferRecord])

    /// Commits end in order.
    var isCommit: Bool {
      switch self {
      case .commit, .adding: true
      case .head, .opening, .bytes, .end, .checkpoint, .closing, .admitting, .checking, .digest,
        .unpacking,
        .placing, .discarding, .reading, .answer:
        false
      }
    }

    var isReading: Bool {
      switch self {
      case .reading, .answer: true
      case .head, .opening, .bytes, .end, .checkpoint, .closing, .commit, .adding, .admitting,
        .checking, .digest, .unpacking, .placing, .discarding:
        false
      }
    }

    var changes: [JournalChange] {
      switch self {
      case .commit(let changes, _), .adding(let changes): changes
      case .head, .opening, .bytes, .end, .checkpoint, .closing, .admitting, .checking, .digest,
        .unpacking,
        .placing, .discarding, .reading, .answer:
        []
      }
    }
  }

  struct Attempt {
    var transfer: TransferID
    var plan: AttemptPlan
    var version = 0
    /// The offset of its next byte; nil until its body is accepted.
    var upTo: Int64?
    var upper: Int64 = SimulatedServer.byteCount
    var failure: TransferFailure?
    var isCancelled = false
  }

  var server = SimulatedServer()
  var pending: [Pending] = []
  var attempts: [AttemptID: Attempt] = [:]
  /// Partial files by inode.
  var partials: [UInt64: SimulatedFile] = [:]
  var open: [TransferID: UInt64] = [:]
  /// Bodies to close as soon as they are open.
  var closeWhenOpen: [TransferID: OperationID] = [:]
  /// What the disk has lost of each file. The store may claim it until it hears of that.
  var lost: [UInt64: ByteRangeSet] = [:]
  /// Partial files deleted by another program.
  var vanished: Set<UInt64> = []
  var finished: Set<UInt64> = []
  var store: [TransferID: TransferRecord] = [:]
  var lastInode: UInt64 = 0
  /// The largest id ever committed, which the store remembers.
  var lastID = TransferID(rawValue: 0)
  var broken: [String] = []
  /// How each task ended, as reported to its program.
  var told: [TransferID: TransferFailure?] = [:]
  var tokens: [ResumeToken] = []
  /// Tasks that their programs have acknowledged without keeping their bytes.
  var acknowledged: Set<TransferID> = []
  /// Finished files that only the program of a task could find, by inode.
  var held: Set<UInt64> = []
  /// What the user has set for the queues, which a restart reads again.
  var queues: [QueueName: NamedQueues.Settings] = [:]
  var crashCount = 0
  var evictedCount = 0

  mutating func run(_ output: SchedulerOutput) {
    for action in output.now { perform(action) }
    if let request = output.queueRead { pending.append(.reading(request)) }
    pending.append(.commit(output.changes, output.afterCommit))
  }

  mutating func add(_ specs: [TransferSpec], to scheduler: inout TransferScheduler, at now: Moment)
  {
    let output = scheduler.add(specs, at: now).1
    pending.append(.adding(output.changes))
  }

  mutating func perform(_ action: TransferAction) {
    switch action {
    case .beginAttempt(let id, let plan):
      if plan.content != nil,
        plan.requested != nil || attempts.values.contains(where: { $0.transfer == id })
      {
        broken.append("what is sent is asked for in parts")
      }
      attempts[plan.attempt] = Attempt(transfer: id, plan: plan)
      pending.append(.head(plan.attempt))
    case .cancelAttempt(let attempt):
      guard let one = attempts[attempt] else { return }
      if one.isCancelled { broken.append("an attempt is cancelled twice") }
      attempts[attempt]?.isCancelled = true
      pending.append(.end(attempt))
    case .shortenAttempt(_, let attempt, let upper):
      guard let one = attempts[attempt] else { return }
      attempts[attempt]?.upper = max(upper, min(one.upTo ?? 0, one.upper))
    case .openBody(let id, let attempt, let plan): pending.append(.opening(id, attempt, plan))
    case .acceptBody(let id, let attempt, let range): flow(id, attempt, range)
    // Nothing here needs a document or a playlist.
    case .acceptDocument, .acceptSegment: break
    case .closeBody(let id, let operation): close(id, operation)
    case .discardPartialFile(let id, let operation, let resumeData):
      pending.append(.discarding(id, operation, resumeData))
    case .checkBlocks(let id, let operation, let resumeData):
      pending.append(.checking(id, operation, resumeData))
    case .computeDigest(let id, let operation, _, _): pending.append(.digest(id, operation))
    case .unpackFile(let id, let operation, let resumeData):
      if store[id] != nil, store[id]?.resumeData?.inode != resumeData.inode {
        broken.append("a file is unpacked that the store does not know of")
      }
      pending.append(.unpacking(id, operation, resumeData))
    case .placeFile(let id, let operation, let resumeData, _):
      if store[id] != nil, store[id]?.resumeData?.isWhole != true {
        broken.append("a rename that the store does not know of")
      }
      pending.append(.placing(id, operation, resumeData))
    case .discardFinishedFile(_, let file, _): finished.remove(file.identity?.inode ?? 0)
    case .limit, .readTitle, .storeFile, .addMembers: break
    }
  }

  private mutating func flow(_ id: TransferID, _ attempt: AttemptID, _ range: ByteRange?) {
    guard let one = attempts[attempt], !one.isCancelled, let inode = open[id] else { return }
    if store[id]?.resumeData?.inode != inode {
      broken.append("bytes flow into a file that the store does not know")
    }
    attempts[attempt]?.upTo = range?.lower ?? 0
    attempts[attempt]?.upper = min(one.upper, range?.upper ?? SimulatedServer.byteCount)
    pending.append(.bytes(attempt))
  }

  mutating func checkClaim(of id: TransferID) {
    guard let claimed = store[id]?.resumeData, let file = partials[claimed.inode] else { return }
    for range in claimed.durable.ranges where !file.synced.contains(range) {
      broken.append("the store claims bytes of \(id) that were not synced")
    }
  }

  private mutating func close(_ id: TransferID, _ operation: OperationID) {
    let isOpening = pending.contains {
      if case .opening(id, _, _) = $0 { true } else { false }
    }
    if isOpening { closeWhenOpen[id] = operation } else { pending.append(.closing(id, operation)) }
  }

  /// Another program deletes a partial file that is not open.
  mutating func vanish(_ luck: Int) {
    let closed = partials.keys.filter { !open.values.contains($0) }.sorted()
    guard !closed.isEmpty else { return }
    let inode = closed[luck % closed.count]
    partials[inode] = nil
    vanished.insert(inode)
  }

  /// The service crashes and restarts: operations in progress are lost, and everything that was
  /// committed or synced remains.
  mutating func crash(limits: TransferQueue.Limits, at now: Moment) -> TransferScheduler {
    crashCount += 1
    pending = []
    attempts = [:]
    open = [:]
    closeWhenOpen = [:]
    for inode in partials.keys { partials[inode]?.crash() }
    let records = store.values.sorted { $0.id < $1.id }
    var scheduler = TransferScheduler(
      limits: limits, lastID: lastID,
      lastTaskIdentifiers: [.kettle: lastID.rawValue, app: lastID.rawValue])
    for record in records {
      guard let resumeData = record.resumeData, let file = partials[resumeData.inode] else {
        continue
      }
      var known = file.synced
      known.formUnion(lost[resumeData.inode, default: ByteRangeSet()])
      for range in resumeData.durable.ranges where !known.contains(range) {
        broken.append("the store claims bytes that the disk does not have")
      }
    }
    var others = TransferScheduler.OtherTransfers()
    for record in records where record.isDormant {
      others.tally.states[record.state, default: StateTally()].count += 1
    }
    let positions = records.map(\.queuePosition)
    if let first = positions.min(), let last = positions.max() { others.positions = first...last }
    _ = scheduler.setQueues(queues, at: now)
    run(scheduler.recover(records.filter { !$0.isDormant }, others: others, at: now))
    return scheduler
  }

  // MARK: Dormant transfers

  /// Evicts the transfers that the scheduler need not hold, unless a read is pending.
  mutating func evict(from scheduler: inout TransferScheduler) {
    if pending.contains(where: \.isReading) { return }
    let unkept = Set(
      pending.flatMap(\.changes).compactMap { change -> TransferID? in
        switch change {
        case .put(let record): record.id
        case .progress(let id, _): id
        case .remove, .putSession, .removeSession, .clearFinished, .uncover, .bin, .hostServed,
          .rememberHost, .hook, .digests, .forgetDigests, .members, .syncMembers, .leaveOutMembers:
          nil
        }
      })
    recordEvicted(scheduler.evict(where: { !unkept.contains($0) }), scheduler)
  }

  mutating func recordEvicted(_ evicted: [TransferID], _ scheduler: TransferScheduler) {
    for id in evicted {
      evictedCount += 1
      if scheduler.machines[id] != nil { broken.append("\(id) was evicted and is there") }
      if store[id]?.isDormant != true {
        broken.append("\(id) was evicted and the store has \(String(describing: store[id]))")
      }
    }
  }

  /// A client requests a transfer that may be evicted.
  mutating func load(_ id: TransferID, on scheduler: inout TransferScheduler, at now: Moment) {
    guard scheduler.machines[id] == nil, !leaving.contains(id), let record = store[id] else {
      return
    }
    run(scheduler.load([record], at: now).1)
  }

  /// Removed transfers whose removal is not committed yet.
  private var leaving: Set<TransferID> {
    Set(
      pending.flatMap(\.changes).compactMap { change in
        if case .remove(let id) = change { id } else { nil }
      })
  }

  /// The records from the store's response that have not been removed since.
  func stillListed(_ records: [TransferRecord]) -> [TransferRecord] {
    let leaving = leaving
    return records.filter { store[$0.id] != nil && !leaving.contains($0.id) }
  }

  /// Checks, when nothing is pending, that the scheduler knows every queued transfer.
  mutating func checkForgotten(_ scheduler: TransferScheduler) {
    for record in store.values
    where record.state == .queued && scheduler.machines[record.id] == nil && !mayRest(record) {
      broken.append("\(record.id) is in the queue of the store and is not read")
    }
  }

  /// Whether a transfer may stay queued for ever: its queue starts nothing.
  func mayRest(_ record: TransferRecord) -> Bool {
    record.spec.queue.flatMap { queues[$0]?.transfersMax } == 0
  }

  func queue(_ request: QueueRead) -> [TransferRecord] {
    let leaving = leaving
    let all = store.values.filter {
      $0.isDormant && $0.state == .queued && !leaving.contains($0.id)
        && !request.leftOut.contains($0.spec.queue ?? .standard)
    }.sorted { left, right in
      (-left.spec.priority.value, left.queuePosition)
        < (-right.spec.priority.value, right.queuePosition)
    }
    switch request.place {
    case .at(let origin):
      return Array(all.filter { $0.spec.url.origin == origin }.prefix(request.countMax))
    case .elsewhere(let others):
      return Array(all.filter { !others.contains($0.spec.url.origin) }.prefix(request.countMax))
    }
  }
}
