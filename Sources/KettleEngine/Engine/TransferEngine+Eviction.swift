import KettleModel
import KettleScheduler
import Logging

/// Moves transfers between memory and the store: loads dormant ones on request, evicts those at
/// rest.
extension TransferEngine {
  /// The number of transfers loaded at once for an operation on many. Other requests wait for one
  /// such turn.
  static let loadedCountMax = 250

  // MARK: Reading

  /// Counts the reads and operations in progress, and tracks transfers removed meanwhile: a result
  /// read before the removal must not bring them back.
  struct Reading: Sendable {
    private(set) var count = 0
    /// Removed transfers that the store does not know of yet.
    private var leaving: Set<TransferID> = []
    /// Removed transfers that the store knows of, but a read may have begun earlier.
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

    /// The transfers no longer on the list, whatever the store returns.
    var unlisted: Set<TransferID> { leaving.union(gone) }

    func stillListed(_ records: [TransferRecord]) -> [TransferRecord] {
      if leaving.isEmpty, gone.isEmpty { return records }
      return records.filter { !leaving.contains($0.id) && !gone.contains($0.id) }
    }
  }

  /// Reads transfers from the store, and wakes them before anything else can happen. Wakes nothing
  /// when the store cannot be read.
  func load(
    _ question: @escaping @Sendable (any TransferArchive) throws -> [TransferRecord]
  ) async -> [TransferRecord] {
    reading.begin()
    defer { reading.end() }
    do {
      let records = try await store.read(question)
      let listed = reading.stillListed(records)
      let now = clock.now()
      let (loaded, output) = decide { $0.load(listed, at: now) }
      announceLoaded(loaded, of: listed)
      run(output, at: now)
      return listed
    } catch {
      logger.error("The store cannot be read", metadata: ["error": "\(error)"])
      return []
    }
  }

  /// Runs `body` without evicting any transfer: those loaded in it are still in memory when it
  /// continues.
  func withoutEviction<Answer>(_ body: () async -> Answer) async -> Answer {
    reading.begin()
    let answer = await body()
    reading.end()
    evict()
    return answer
  }

  /// Loads transfers that only the store has into memory.
  func load(_ ids: [TransferID]) async {
    let missing = ids.filter { scheduler.machines[$0] == nil }
    guard !missing.isEmpty else { return }
    _ = await load { archive in try archive.records(missing) }
  }

  /// Notifies the observer of the transfers as they were in the store. One of them may already run;
  /// its changes follow.
  private func announceLoaded(_ ids: [TransferID], of records: [TransferRecord]) {
    let ids = Set(ids)
    for record in records where ids.contains(record.id) {
      observer(.loaded(rows.row(of: record)))
    }
  }

  // MARK: The queue

  func readNextTransfers(_ request: QueueRead, afterMilliseconds delay: Int? = nil) {
    reading.begin()
    store.read(afterMilliseconds: delay) { archive in
      try archive.line(request)
    } answered: { [weak self] result in
      self?.post(.queueRead(request, result))
    }
  }

  func queueRead(_ request: QueueRead, _ result: Result<[TransferRecord], any Error>) {
    defer { reading.end() }
    switch result {
    case .success(let records):
      let now = clock.now()
      let (loaded, output) = decide {
        $0.queueRead(request, records, gone: reading.unlisted, at: now)
      }
      announceLoaded(loaded, of: records)
      run(output, at: now)
    case .failure(let error):
      logger.error("The line cannot be read from the store", metadata: ["error": "\(error)"])
      readNextTransfers(request, afterMilliseconds: JournalWriter.retryMilliseconds)
    }
  }

  // MARK: Eviction

  /// Evicts transfers whose state the store has, unless a read or operation is in progress.
  func evict() {
    guard reading.count == 0, scheduler.shouldEvict else { return }
    let evicted = decide { scheduler in scheduler.evict { live[$0].isStored } }
    guard !evicted.isEmpty else { return }
    outlooks.noteEviction()
    observer(.evicted(evicted))
    live.evict(evicted, residentCount: scheduler.machines.count) { scheduler.machines[$0] != nil }
  }

  /// Notes that changes are on their way to the store.
  func noteUnkept(_ changes: [JournalChange]) {
    for change in changes {
      switch change {
      case .put(let record): live[record.id].noteUnkept()
      case .remove(let id): reading.note(leaving: id)
      // Progress belongs to an open file. Its transfer stays in memory until the record that
      // follows the closing is in the store.
      case .progress, .digests, .forgetDigests, .members, .syncMembers, .leaveOutMembers,
        .putSession,
        .removeSession, .clearFinished, .uncover, .hostServed, .rememberHost, .bin, .hook:
        break
      }
    }
  }

  /// Notes that changes are in the store.
  func noteKept(_ changes: [JournalChange]) {
    var recorded: [PartialIdentity] = []
    var due: [HookRunID] = []
    for change in changes {
      switch change {
      case .put(let record):
        live[record.id].noteKept()
        checkpointRecorded(of: record.id)
        if let identity = record.resumeData?.partialIdentity { recorded.append(identity) }
      case .progress(let id, _): checkpointRecorded(of: id)
      case .remove(let id): reading.note(gone: id)
      case .hook(.add(let run, _)): due.append(run.id)
      case .hook(.update), .hook(.remove), .putSession, .removeSession, .clearFinished, .uncover,
        .hostServed, .rememberHost, .bin, .digests, .forgetDigests, .members, .syncMembers,
        .leaveOutMembers:
        break
      }
    }
    if !due.isEmpty { observer(.hooksDue(due)) }
    if !recorded.isEmpty { files.storage.forgetUnrecorded(recorded) }
  }

  // MARK: Many

  /// Applies a control to transfers, some of which only the store has. Loads `loadedCountMax` at a
  /// time. Those already resident come last: when they make room, the others have been handled.
  ///
  /// A collection ends when none of its members is under way. So a control that starts them reaches
  /// the members first, and any other one reaches the collection first, which then adds no more.
  ///
  /// - Returns: the result for each, in the order of `ids`.
  func controlEach(
    _ control: TransferScheduler.Control, _ ids: [TransferID], into action: BinAction?,
    reportTo report: ControlReport
  ) async -> [TransferScheduler.ControlResult] {
    var parts = [ids.filter { !collections.known.contains($0) }]
    if parts[0].count < ids.count {
      parts.insert(ids.filter(collections.known.contains), at: control.startsTransfers ? 1 : 0)
    }
    var results: [TransferID: TransferScheduler.ControlResult] = [:]
    for part in parts {
      let missing = part.filter { scheduler.machines[$0] == nil }
      for start in stride(from: 0, to: missing.count, by: Self.loadedCountMax) {
        let loaded = Array(missing[start..<min(start + Self.loadedCountMax, missing.count)])
        let outcome = await controlLoaded(control, loaded, into: action, reportTo: report)
        for (id, result) in zip(loaded, outcome) { results[id] = result }
      }
      let others = part.filter { results[$0] == nil }
      // A control of no transfer waits for earlier changes to be in the store, like any other.
      if others.isEmpty, !ids.isEmpty { continue }
      let outcome = await controlLoaded(control, others, into: action, reportTo: report)
      for (id, result) in zip(others, outcome) { results[id] = result }
    }
    return ids.map { results[$0] ?? .refused(.unknown) }
  }

  private func controlLoaded(
    _ control: TransferScheduler.Control, _ ids: [TransferID], into action: BinAction?,
    reportTo report: ControlReport
  ) async -> [TransferScheduler.ControlResult] {
    await withoutEviction {
      await load(ids)
      return await controlResident(control, ids, into: action, reportTo: report)
    }
  }

  /// Applies a control to all transfers that it is meant for.
  package func controlAll(_ control: TransferScheduler.Control) async -> [TransferID] {
    await perform(control, nil).ids
  }

  func controlAll(
    _ control: TransferScheduler.Control, into action: BinAction?, _ report: ControlReport
  ) async -> [TransferID] {
    var last = selection(for: control)
    var done: [TransferID] = []
    await forEachDormant(in: control.dormantStates, but: Set(last)) { dormant in
      let known = control.startsTransfers ? collections.known : []
      last += dormant.filter(known.contains)
      let ids = dormant.filter { !known.contains($0) }
      _ = await controlResident(control, ids, into: action, reportTo: report)
      done += ids
    }
    _ = await controlEach(control, last, into: action, reportTo: report)
    return (done + last).sorted()
  }

  /// Visits the transfers that only the store has, `loadedCountMax` at a time, and keeps these
  /// resident meanwhile. Other code may have loaded some of them since.
  ///
  /// - Parameter others: the transfers that the caller handles.
  func forEachDormant(
    in states: Set<TransferState>, but others: Set<TransferID>,
    _ body: ([TransferID]) async -> Void
  ) async {
    guard !states.isEmpty else { return }
    var last: TransferID?
    repeat {
      let after = last
      last = await withoutEviction {
        let records = await load { archive in
          try archive.dormant(in: states, after: after, countMax: Self.loadedCountMax)
        }
        let ids = records.map(\.id).filter { !others.contains($0) && scheduler.machines[$0] != nil }
        if !ids.isEmpty { await body(ids) }
        return records.last?.id
      }
    } while last != nil
  }
}

extension TransferScheduler.Control {
  /// The states of the dormant transfers that a control for all applies to.
  fileprivate var dormantStates: Set<TransferState> {
    switch self {
    case .start: [.idle, .paused, .failed]
    case .pause: [.queued]
    case .stop: [.queued, .paused, .failed]
    case .remove, .reset: [.queued, .paused, .failed, .idle, .completed]
    case .relink, .limit, .prioritize: [.queued, .paused, .failed, .idle]
    // A transfer that asks for a decision is never dormant. The others are for single transfers.
    case .cancel, .startFresh, .accept, .remember, .change, .takeOver: []
    }
  }
}
