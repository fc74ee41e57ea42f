import TransferCore
import TransferModel

/// A network, a disk and a store in memory that do what the brain says, in any order that real ones
/// could, and note every broken promise.
struct SimulatedWorld {
  static let byteCount: Int64 = 1000

  /// Something that is under way and comes back as an event some time.
  enum Pending: Hashable {
    case head(AttemptID)
    case opening(AttemptID, BodyPlan)
    case end(AttemptID)
    case commit([JournalChange], [BrainAction])
    case digest(TransferID, OperationID)
    case placing(TransferID, OperationID, ResumeData)
    case discarding(TransferID, OperationID, ResumeData)
  }

  struct Attempt {
    var transfer: TransferID
    var offset: Int64
    var isCancelled = false
    /// Set when the body may flow.
    var partial: UInt64?
    var isFlowing = false
  }

  struct PartialFile: Hashable {
    var syncedByteCount: Int64 = 0
  }

  var pending: [Pending] = []
  var attempts: [AttemptID: Attempt] = [:]
  var partials: [UInt64: PartialFile] = [:]
  var finished: Set<UInt64> = []
  var store: [TransferID: TransferRecord] = [:]
  var lastInode: UInt64 = 0
  /// The largest id ever committed, which the store remembers.
  var lastID = TransferID(rawValue: 0)
  var broken: [String] = []

  mutating func take(_ turn: Turn) {
    for action in turn.now { perform(action) }
    pending.append(.commit(turn.changes, turn.afterCommit))
  }

  mutating func perform(_ action: BrainAction) {
    switch action {
    case .beginAttempt(let id, let plan):
      if attempts.values.contains(where: { $0.transfer == id }) {
        broken.append("two attempts at once of \(id)")
      }
      let range = plan.headers.first { $0.name == "Range" }?.value.dropFirst(6).dropLast()
      attempts[plan.attempt] = Attempt(
        transfer: id, offset: range.flatMap { Int64($0) } ?? 0)
      pending.append(.head(plan.attempt))
    case .cancelAttempt(let attempt):
      guard attempts[attempt] != nil else { return broken.append("cancel of no attempt") }
      attempts[attempt]?.isCancelled = true
      pending.append(.end(attempt))
    case .openBody(_, let attempt, let plan):
      if attempts[attempt] != nil { pending.append(.opening(attempt, plan)) }
    case .letBodyFlow(let attempt):
      guard let one = attempts[attempt] else { return }
      if store[one.transfer]?.resumeData?.inode != one.partial, !one.isCancelled {
        broken.append("bytes flow into a file that the store does not know")
      }
      attempts[attempt]?.isFlowing = true
      if !one.isCancelled { pending.append(.end(attempt)) }
    case .confirmHeld: break
    case .discardPartialFile(let id, let operation, let resumeData):
      pending.append(.discarding(id, operation, resumeData))
    case .computeDigest(let id, let operation, _, _): pending.append(.digest(id, operation))
    case .placeFile(let id, let operation, let resumeData, _):
      if store[id]?.resumeData?.isWhole != true, store[id] != nil {
        broken.append("a rename that the store does not know of")
      }
      pending.append(.placing(id, operation, resumeData))
    case .deleteFinishedFile(_, let file):
      finished.remove(file.identity?.inode ?? 0)
    }
  }

  /// Lets one thing that is under way happen.
  mutating func happen(_ event: Pending, _ brain: inout Brain, luck: Int, at now: Moment) {
    switch event {
    case .commit(let changes, let actions):
      for change in changes {
        switch change {
        case .put(let record):
          store[record.id] = record
          lastID = max(lastID, record.id)
        case .remove(let id): store[id] = nil
        }
      }
      for action in actions { perform(action) }
    case .head(let attempt): head(of: attempt, &brain, luck: luck, at: now)
    case .opening(let attempt, let plan):
      let resumeData = open(plan)
      attempts[attempt]?.partial = resumeData.inode
      take(brain.bodyOpened(resumeData, of: attempt, at: now))
    case .end(let attempt): end(attempt, &brain, luck: luck, at: now)
    case .digest(let id, let operation):
      let result: Result<String, TransferFailure> = .success(String(repeating: "a", count: 32))
      take(brain.digestComputed(result, of: id, by: operation, at: now))
    case .discarding(let id, let operation, let resumeData):
      partials[resumeData.inode] = nil
      take(brain.discarded(id, by: operation, at: now))
    case .placing(let id, let operation, let resumeData):
      place(resumeData, id, operation, &brain, at: now)
    }
  }

  private mutating func head(of attempt: AttemptID, _ brain: inout Brain, luck: Int, at now: Moment)
  {
    guard let one = attempts[attempt], !one.isCancelled else { return }
    let total = Self.byteCount
    let head: ResponseHead =
      switch luck % 12 {
      case 0: BrainScript.head(503, ["Retry-After": "1"])
      case 1: BrainScript.head(500, [:])
      case 2: BrainScript.head(302, ["Location": "/elsewhere"])
      case 3 where one.offset > 0: BrainScript.head(206, ["Content-Range": "bytes 0-9/10"])
      case 4 where one.offset > 0:
        BrainScript.head(200, ["Content-Length": "\(total)", "ETag": "\"v1\""])
      default:
        one.offset > 0
          ? BrainScript.head(
            206,
            ["Content-Range": "bytes \(one.offset)-\(total - 1)/\(total)", "ETag": "\"v1\""])
          : BrainScript.head(200, ["Content-Length": "\(total)", "ETag": "\"v1\""])
      }
    take(brain.headReceived(head, of: attempt, jitter: 0, at: now))
  }

  private mutating func open(_ plan: BodyPlan) -> ResumeData {
    switch plan {
    case .create(let name, let total, let validator):
      lastInode += 1
      partials[lastInode] = PartialFile()
      return ResumeData(
        partialPath: "/d/\(lastInode).part", device: 1, inode: lastInode, held: HeldRanges(),
        totalByteCount: total, validator: validator, finalName: name)
    case .rewrite(let resumeData):
      if !resumeData.held.isEmpty { broken.append("bytes on record are overwritten") }
      partials[resumeData.inode] = PartialFile()
      return resumeData
    case .append(let resumeData, let range):
      let synced = partials[resumeData.inode]?.syncedByteCount ?? -1
      if synced < range.lower { broken.append("bytes are appended behind a hole") }
      partials[resumeData.inode]?.syncedByteCount = range.lower
      return resumeData
    }
  }

  private mutating func end(_ attempt: AttemptID, _ brain: inout Brain, luck: Int, at now: Moment) {
    guard let one = attempts[attempt] else { return }
    // A file that is being opened comes to its end when it is open.
    if one.isCancelled,
      pending.contains(where: { if case .opening(attempt, _) = $0 { true } else { false } })
    {
      pending.append(.end(attempt))
      return
    }
    attempts[attempt] = nil
    guard one.isFlowing, let inode = one.partial, let file = partials[inode] else {
      take(brain.attemptSettled(attempt, .cancelled, held: nil, jitter: 0, at: now))
      return
    }
    let missing = Self.byteCount - file.syncedByteCount
    let isWhole = !one.isCancelled && luck % 3 != 0
    let upTo = file.syncedByteCount + (isWhole ? missing : missing * Int64(luck % 7) / 8)
    partials[inode]?.syncedByteCount = upTo
    let end: SettledEnd =
      one.isCancelled
      ? .cancelled : isWhole ? .complete : .failed(TransferFailure(.connectionLost, on: "h"))
    take(
      brain.attemptSettled(attempt, end, held: HeldRanges(prefix: upTo), jitter: 0, at: now))
  }

  private mutating func place(
    _ resumeData: ResumeData, _ id: TransferID, _ operation: OperationID, _ brain: inout Brain,
    at now: Moment
  ) {
    let file = FinishedFile(
      path: "/d/\(resumeData.inode)",
      identity: FileIdentity(
        device: 1, inode: resumeData.inode, byteCount: Self.byteCount, modifiedNanoseconds: 0))
    if finished.contains(resumeData.inode) {
      take(brain.placed(.success(file), of: id, by: operation, at: now))
      return
    }
    guard let partial = partials.removeValue(forKey: resumeData.inode) else {
      let gone = TransferFailure(.partialFileChanged, on: resumeData.partialPath)
      take(brain.placed(.failure(gone), of: id, by: operation, at: now))
      return
    }
    if partial.syncedByteCount != Self.byteCount { broken.append("a file was placed unfinished") }
    finished.insert(resumeData.inode)
    take(brain.placed(.success(file), of: id, by: operation, at: now))
  }

  /// The service dies and is started again: what was under way is gone, what was committed and
  /// synced is there.
  mutating func crash(limits: TransferQueue.Limits, at now: Moment) -> Brain {
    pending = []
    attempts = [:]
    let records = store.values.sorted { $0.id < $1.id }
    var brain = Brain(
      limits: limits, lastID: lastID, lastTaskIdentifiers: [.kettle: lastID.rawValue])
    for record in records {
      let synced = record.resumeData.flatMap { partials[$0.inode]?.syncedByteCount }
      if let held = record.resumeData?.held.byteCount, let synced, held > synced {
        broken.append("the store claims bytes that the disk does not have")
      }
    }
    take(brain.recover(records, at: now))
    return brain
  }
}
