import Dispatch
import Logging
import KettleScheduler
import KettleModel

/// Between the memory and the store: who is asked for is woken, who is at rest is let go of.
extension TransferEngine {
  /// So many are woken at once for something that is done to many.
  static let wokenCountMax = 1000
  /// The history of so many that the store has alone is remembered.
  static let rememberedCountMax = 2000

  // MARK: Reading

  /// What is being read or was woken for somebody, and what went from the list meanwhile: an answer
  /// of the time before must not bring it back.
  struct Reading: Sendable {
    private(set) var count = 0
    /// The store does not know yet that they are gone.
    private var leaving: Set<TransferID> = []
    /// It knows, but may have been asked before.
    private var gone: Set<TransferID> = []

    mutating func begin() { count += 1 }

    mutating func end() {
      count -= 1
      if count == 0 { gone = [] }
    }

    mutating func note(leaving id: TransferID) { leaving.insert(id) }

    mutating func note(gone id: TransferID) {
      guard leaving.remove(id) != nil, count > 0 else { return }
      gone.insert(id)
    }

    /// Who is on the list no more, whatever the store answers.
    var unlisted: Set<TransferID> { leaving.union(gone) }

    func stillListed(_ records: [TransferRecord]) -> [TransferRecord] {
      if leaving.isEmpty, gone.isEmpty { return records }
      return records.filter { !leaving.contains($0.id) && !gone.contains($0.id) }
    }
  }

  /// Asks the store, and wakes what it answers before anything else can happen. Where the store
  /// cannot be read nothing is woken.
  func wake(
    _ question: @escaping @Sendable (any TransferArchive) throws -> [TransferRecord]
  ) async -> [TransferRecord] {
    reading.begin()
    let result = await withCheckedContinuation { answered in
      readQueue.async { [archive] in answered.resume(returning: Result { try question(archive) }) }
    }
    defer { reading.end() }
    switch result {
    case .success(let records):
      let listed = reading.stillListed(records)
      let now = clock.now()
      let (woken, turn) = brain.wake(listed, at: now)
      tellWoken(woken, of: listed)
      run(turn, at: now)
      return listed
    case .failure(let error):
      logger.error("The store cannot be read", metadata: ["error": "\(error)"])
      return []
    }
  }

  /// While `body` runs nobody falls asleep: who was woken in it is still there when it goes on.
  func keepingAwake<Answer>(_ body: () async -> Answer) async -> Answer {
    reading.begin()
    let answer = await body()
    reading.end()
    letGo()
    return answer
  }

  /// Brings transfers into memory that the store has alone.
  func wake(_ ids: [TransferID]) async {
    let missing = ids.filter { brain.machines[$0] == nil }
    guard !missing.isEmpty else { return }
    _ = await wake { archive in try archive.records(missing) }
  }

  /// Tells of them as the store had them, though one of them may run by now: what becomes of it is
  /// told next.
  private func tellWoken(_ ids: [TransferID], of records: [TransferRecord]) {
    let ids = Set(ids)
    for record in records where ids.contains(record.id) {
      observer(.woken(rows.row(of: record)))
    }
  }

  // MARK: The line

  func readLine(_ request: LineRequest) {
    reading.begin()
    readQueue.async { [weak self, archive] in
      let result = Result { try archive.line(request) }
      self?.post(.lineRead(request, result))
    }
  }

  func lineRead(_ request: LineRequest, _ result: Result<[TransferRecord], any Error>) {
    defer { reading.end() }
    switch result {
    case .success(let records):
      let now = clock.now()
      let (woken, turn) = brain.lineRead(request, records, gone: reading.unlisted, at: now)
      tellWoken(woken, of: records)
      run(turn, at: now)
    case .failure(let error):
      logger.error("The line cannot be read from the store", metadata: ["error": "\(error)"])
      reading.begin()
      readQueue.asyncAfter(deadline: .now() + JournalWriter.retryDelay) { [weak self, archive] in
        let result = Result { try archive.line(request) }
        self?.post(.lineRead(request, result))
      }
    }
  }

  // MARK: Falling asleep

  /// Lets go of what the store has as it is, while nothing is being read or dealt with.
  func letGo() {
    guard reading.count == 0, brain.holdsMuch else { return }
    let slept = brain.letGo { unkept[$0] == nil && bodies[$0] == nil && digests[$0] == nil }
    guard !slept.isEmpty else { return }
    observer(.slept(slept))
    for id in slept where live[id]?.hasRun == false { live[id] = nil }
    guard live.count > brain.machines.count + Self.rememberedCountMax else { return }
    for id in live.keys where brain.machines[id] == nil { live[id] = nil }
  }

  /// Changes are on their way to the store.
  func noteUnkept(_ changes: [JournalChange]) {
    for change in changes {
      switch change {
      case .put(let record): unkept[record.id, default: 0] += 1
      case .remove(let id): reading.note(leaving: id)
      // Progress is of an open file, whose transfer is in memory, and stays there until the record
      // that follows the closing has come to the store.
      case .progress, .putSession, .removeSession, .clearFinished: break
      }
    }
  }

  /// They have come there.
  func noteKept(_ changes: [JournalChange]) {
    var recorded: [PartialIdentity] = []
    for change in changes {
      switch change {
      case .put(let record):
        noteKept(record.id)
        if let identity = record.resumeData?.partialIdentity { recorded.append(identity) }
      case .remove(let id): reading.note(gone: id)
      case .progress, .putSession, .removeSession, .clearFinished: break
      }
    }
    if !recorded.isEmpty { files.forgetUnrecorded(recorded) }
  }

  private func noteKept(_ id: TransferID) {
    let left = (unkept[id] ?? 0) - 1
    unkept[id] = left > 0 ? left : nil
  }

  // MARK: Many

  /// Does something to transfers, some of which the store has alone; a thousand at a time are
  /// woken. Those that are awake come last: where they make room, the others have been seen to.
  ///
  /// - Returns: what became of each, in the order of `ids`.
  func controlEach(
    _ control: Brain.Control, _ ids: [TransferID]
  ) async -> [Brain.ControlResult] {
    guard ids.contains(where: { brain.machines[$0] == nil }) else {
      return await controlWoken(control, ids)
    }
    var results: [TransferID: Brain.ControlResult] = [:]
    let asleep = ids.filter { brain.machines[$0] == nil }
    for start in stride(from: 0, to: asleep.count, by: Self.wokenCountMax) {
      let part = Array(asleep[start..<min(start + Self.wokenCountMax, asleep.count)])
      for (id, result) in zip(part, await controlWoken(control, part)) { results[id] = result }
    }
    let others = ids.filter { results[$0] == nil }
    for (id, result) in zip(others, await controlWoken(control, others)) { results[id] = result }
    return ids.map { results[$0] ?? .unknown }
  }

  private func controlWoken(
    _ control: Brain.Control, _ ids: [TransferID]
  ) async -> [Brain.ControlResult] {
    await keepingAwake {
      await wake(ids)
      return await controlAwake(control, ids)
    }
  }

  /// Does something to all transfers that it is meant for.
  package func controlAll(_ control: Brain.Control) async -> [TransferID] {
    let awake = selection(for: control)
    var done: [TransferID] = []
    await forEachDormant(in: control.dormantStates, but: Set(awake)) { ids in
      _ = await controlAwake(control, ids)
      done += ids
    }
    _ = await controlEach(control, awake)
    return (done + awake).sorted()
  }

  /// Goes through those that the store has alone, a thousand at a time, which are awake meanwhile.
  /// Some may have been woken since by others.
  ///
  /// - Parameter others: those that the caller sees to.
  func forEachDormant(
    in states: Set<TransferState>, but others: Set<TransferID>,
    _ body: ([TransferID]) async -> Void
  ) async {
    guard !states.isEmpty else { return }
    var last: TransferID?
    repeat {
      let after = last
      last = await keepingAwake {
        let records = await wake { archive in
          try archive.dormant(in: states, after: after, countMax: Self.wokenCountMax)
        }
        let ids = records.map(\.id).filter { !others.contains($0) && brain.machines[$0] != nil }
        if !ids.isEmpty { await body(ids) }
        return records.last?.id
      }
    } while last != nil
  }
}

extension Brain.Control {
  /// Of the dormant transfers, those in these states are meant by a control for all.
  fileprivate var dormantStates: Set<TransferState> {
    switch self {
    case .start: [.idle, .paused, .failed]
    case .pause: [.queued]
    case .stop: [.queued, .paused, .failed]
    case .remove, .reset: [.queued, .paused, .failed, .idle, .completed]
    case .relink, .limit, .prioritize: [.queued, .paused, .failed, .idle]
    case .cancel: []
    }
  }
}
