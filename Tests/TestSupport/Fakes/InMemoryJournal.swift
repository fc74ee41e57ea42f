import Dispatch
import KettleEngine
import KettleModel
import KettleSystem

/// A journal that keeps everything in memory, and can fail or delay commits.
package final class InMemoryJournal: TransferJournal {
  fileprivate struct State: Sendable {
    var records: [TransferID: TransferRecord] = [:]
    var lastID = TransferID(rawValue: 0)
    var lastTaskIdentifiers: [SessionID: Int64] = [:]
    var sessions: [SessionID: SessionRecord] = [:]
    var clearedUpTo: Int64?
    var servedHosts: [Origin: WallTime] = [:]
    var rememberedHosts: [Origin: RememberedHost] = [:]
    var binActions: [Int64: BinAction] = [:]
    var binEntries: [Int64: [TransferID: BinEntry]] = [:]
    var hooks: [HookRunID: StoredHook] = [:]
    var digests: [TransferID: BlockDigests] = [:]
    var members: [TransferID: [NumberedMember]] = [:]
    /// The members that have had a transfer.
    var added: [TransferID: Set<Int64>] = [:]
    /// The numbers of files that the user has not chosen.
    var leftOut: [TransferID: Set<Int64>] = [:]
    var commits: [[JournalChange]] = []
    var failures: [any Error] = []
    var readFailures: [any Error] = []
    var lineGate: Gate?
    var commitGate = CommitGate.open
  }

  package struct StoredHook: Sendable {
    package var run: HookRun
    /// nil once the run is over.
    package var occasion: HookOccasion?
  }

  fileprivate enum CommitGate: Sendable {
    case open
    case closed(waiting: [DispatchSemaphore])
  }

  /// Every call of `commit`, reported before it waits or fails.
  package let attempts: AsyncStream<[JournalChange]>
  private let attemptsContinuation: AsyncStream<[JournalChange]>.Continuation
  private let state: Mutex<State>

  package init(_ contents: JournalContents = JournalContents()) {
    var state = State()
    state.lastID = contents.lastID
    state.lastTaskIdentifiers = contents.lastTaskIdentifiers
    state.clearedUpTo = contents.clearedUpTo
    state.servedHosts = contents.servedHosts
    state.rememberedHosts = contents.rememberedHosts
    for record in contents.records { Self.apply(.put(record), to: &state) }
    for session in contents.sessions { Self.apply(.putSession(session), to: &state) }
    self.state = Mutex(state)
    (attempts, attemptsContinuation) = AsyncStream.makeStream()
  }

  /// Returns another journal with the same contents, which later commits do not affect.
  package func copy() -> InMemoryJournal {
    let other = InMemoryJournal()
    var state = state.withLock { $0 }
    state.commits = []
    state.failures = []
    state.readFailures = []
    other.state.withLock { [state] in $0 = state }
    return other
  }

  // MARK: The port

  package func load() throws -> JournalContents {
    state.withLock { state in
      var contents = Self.contents(
        of: state.records.values.sorted { $0.id < $1.id }, clearedUpTo: state.clearedUpTo)
      contents.lastID = state.lastID
      contents.lastTaskIdentifiers = state.lastTaskIdentifiers
      contents.sessions = state.sessions.values.sorted { $0.id.rawValue < $1.id.rawValue }
      contents.clearedUpTo = state.clearedUpTo
      contents.servedHosts = state.servedHosts
      contents.rememberedHosts = state.rememberedHosts
      contents.binActions = state.binActions.values.sorted { $0.number < $1.number }
      contents.hooks = Self.unfinished(state.hooks)
      return contents
    }
  }

  private static func unfinished(_ stored: [HookRunID: StoredHook]) -> UnfinishedHooks {
    var hooks = UnfinishedHooks()
    for (id, one) in stored.sorted(by: { $0.key < $1.key }) {
      hooks.lastID = id.rawValue
      switch one.run.standing {
      case .pending: hooks.pending.append(id)
      case .running: hooks.started.append(one.run)
      case .ended where one.run.transfer != nil:
        hooks.failed.removeAll { $0.transfer == one.run.transfer }
        if one.run.end?.outcome.isSuccess == false { hooks.failed.append(one.run) }
      case .ended: break
      }
    }
    return hooks
  }

  package func commit(_ changes: [JournalChange]) throws {
    attemptsContinuation.yield(changes)
    waitAtCommitGate()
    let failure = state.withLock { state -> (any Error)? in
      if !state.failures.isEmpty { return state.failures.removeFirst() }
      state.commits.append(changes)
      for change in changes { Self.apply(change, to: &state) }
      Self.forgetOrphans(in: &state)
      return nil
    }
    if let failure { throw failure }
  }

  private func waitAtCommitGate() {
    let ticket = state.withLock { state -> DispatchSemaphore? in
      guard case .closed(let waiting) = state.commitGate else { return nil }
      let ticket = DispatchSemaphore(value: 0)
      state.commitGate = .closed(waiting: waiting + [ticket])
      return ticket
    }
    ticket?.wait()
  }

  private static func apply(_ change: JournalChange, to state: inout State) {
    switch change {
    case .put(let record):
      if let role = record.spec.options.member {
        state.added[role.collection, default: []].insert(role.number)
      }
      state.records[record.id] = record
      state.lastID = max(state.lastID, record.id)
      let last = state.lastTaskIdentifiers[record.spec.session] ?? record.taskIdentifier
      state.lastTaskIdentifiers[record.spec.session] = max(last, record.taskIdentifier)
    case .progress(let id, let durable):
      state.records[id]?.resumeData?.durable = durable
    case .digests(let id, let new):
      for entry in new { state.digests[id, default: BlockDigests()].insert(entry) }
    case .forgetDigests(let id): state.digests[id] = nil
    case .members(let id, let first, let members):
      state.members[id, default: []].removeAll { $0.number >= first }
      state.members[id, default: []] += members.enumerated().map { offset, member in
        NumberedMember(number: first + Int64(offset), member: member)
      }
    case .leaveOutMembers(let id, let runs):
      for member in state.members[id] ?? []
      where state.added[id]?.contains(member.number) != true
        && runs.contains(where: { ($0.first...$0.last).contains(member.number) })
      {
        state.leftOut[id, default: []].insert(member.number)
      }
    case .syncMembers(let sync, let list): state.sync(sync, from: list)
    case .remove(let id): state.records[id] = nil
    case .putSession(let session):
      state.sessions[session.id] = session
      state.lastTaskIdentifiers[session.id] = state.lastTaskIdentifiers[session.id] ?? 0
    case .removeSession(let id): state.sessions[id] = nil
    case .clearFinished(let number):
      state.clearedUpTo = max(state.clearedUpTo ?? number, number)
    case .uncover(let number): state.clearedUpTo = number
    case .bin(let change): Self.apply(change, to: &state)
    case .hostServed(let origin, let time): state.servedHosts[origin] = time
    case .rememberHost(let origin, let remembered):
      state.rememberedHosts[origin] = remembered.isEmpty ? nil : remembered
    case .hook(.add(let run, let occasion)):
      state.hooks[run.id] = StoredHook(run: run, occasion: occasion)
    case .hook(.update(let run)): update(run, in: &state)
    case .hook(.remove(let id)):
      if state.hooks[id]?.run.end == nil { state.hooks[id] = nil }
    }
  }

  private static func update(_ run: HookRun, in state: inout State) {
    guard state.hooks[run.id] != nil else { return }
    state.hooks[run.id]?.run = run
    if run.end != nil { state.hooks[run.id]?.occasion = nil }
  }

  /// Removes the runs that are over of transfers that are neither on the list nor in the bin.
  private static func forgetOrphans(in state: inout State) {
    let (records, bin) = (state.records, state.binEntries.values)
    state.hooks = state.hooks.filter { _, stored in
      guard let id = stored.run.transfer, stored.run.end != nil else { return true }
      return records[id] != nil || bin.contains { $0[id] != nil }
    }
  }

  private static func apply(_ change: BinChange, to state: inout State) {
    switch change {
    case .putAction(let action): state.binActions[action.number] = action
    case .putEntry(let entry):
      state.binEntries[entry.action, default: [:]][entry.record.id] = entry
    case .setBytes(let bytes, let id, let action):
      if state.binEntries[action]?[id]?.record.resumeData != nil {
        state.binEntries[action]?[id]?.record.resumeData = bytes
      }
    case .removeEntries(let ids, let action):
      for id in ids { state.binEntries[action]?[id] = nil }
    case .removeAction(let number):
      state.binActions[number] = nil
      state.binEntries[number] = nil
    }
  }

  // MARK: For tests

  /// The committed changes, one element for each commit.
  package var commits: [[JournalChange]] { state.withLock { $0.commits } }

  package var records: [TransferID: TransferRecord] { state.withLock { $0.records } }

  package var hooks: [HookRunID: StoredHook] { state.withLock { $0.hooks } }

  /// The files of one kind of change, by the numbers of the lists that have them.
  package func changed(
    _ kind: MemberChange, of id: TransferID, in list: TransferID
  ) -> [NumberedMember] {
    state.withLock { $0.changed(kind, of: id, in: list) }
  }

  package func members(of id: TransferID, isMissing: Bool) -> [NumberedMember] {
    state.withLock { state in
      (state.members[id] ?? []).filter {
        state.leftOut[id]?.contains($0.number) != true
          && (!isMissing || state.added[id]?.contains($0.number) != true)
      }
    }
  }

  package var digests: [TransferID: BlockDigests] { state.withLock { $0.digests } }

  /// The transfers that an action put into the bin, by id.
  package func binEntries(of action: Int64) -> [BinEntry] {
    state.withLock { state in
      (state.binEntries[action] ?? [:]).values.sorted { $0.record.id < $1.record.id }
    }
  }

  package var clearedUpTo: Int64? { state.withLock { $0.clearedUpTo } }

  package var sessions: [SessionID: SessionRecord] { state.withLock { $0.sessions } }

  /// Makes the next `count` commits fail without any change.
  package func failNextCommits(_ count: Int = 1, with error: any Error) {
    state.withLock { $0.failures += Array(repeating: error, count: count) }
  }

  /// Makes the next `count` reads of the queue fail.
  package func failNextReads(_ count: Int = 1, with error: any Error) {
    state.withLock { $0.readFailures += Array(repeating: error, count: count) }
  }

  /// Delays the results of queue reads, which are those at the time of the call.
  package func holdLines() -> Gate {
    let gate = Gate()
    state.withLock { $0.lineGate = gate }
    return gate
  }

  func passLineGate() { state.withLock { $0.lineGate }?.pass() }

  func throwReadFailure() throws {
    let failure = state.withLock { state in
      state.readFailures.isEmpty ? nil : state.readFailures.removeFirst()
    }
    if let failure { throw failure }
  }

  /// Makes commits wait until `release`.
  package func hold() {
    state.withLock { state in
      if case .open = state.commitGate { state.commitGate = .closed(waiting: []) }
    }
  }

  /// Releases the waiting commits and lets later ones pass.
  package func release() {
    let waiting = state.withLock { state -> [DispatchSemaphore] in
      guard case .closed(let waiting) = state.commitGate else { return [] }
      state.commitGate = .open
      return waiting
    }
    for ticket in waiting { ticket.signal() }
  }
}

extension InMemoryJournal.State {
  fileprivate func changed(
    _ kind: MemberChange, of id: TransferID, in list: TransferID
  ) -> [NumberedMember] {
    let (old, new) = (members[id] ?? [], members[list] ?? [])
    let known = Dictionary(uniqueKeysWithValues: old.map { ($0.member.path, $0.member) })
    let named = Set(new.map(\.member.path))
    let unchosen = leftOut[id] ?? []
    let out = Set(old.filter { unchosen.contains($0.number) }.map(\.member.path))
    return switch kind {
    case .new: new.filter { known[$0.member.path] == nil }
    case .gone: old.filter { !named.contains($0.member.path) && !out.contains($0.member.path) }
    case .changed:
      new.filter {
        !out.contains($0.member.path) && Self.differs($0.member, from: known[$0.member.path])
      }
    }
  }

  private static func differs(_ later: ListedMember, from member: ListedMember?) -> Bool {
    guard let member else { return false }
    if let one = later.checksum, let other = member.checksum, one.algorithm == other.algorithm {
      return one != other
    }
    func differ<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
      one != nil && other != nil && one != other
    }
    return differ(later.byteCount, member.byteCount) || differ(later.stamp, member.stamp)
  }

  fileprivate mutating func sync(_ sync: CollectionSync, from list: TransferID) {
    let id = sync.collection
    let (new, gone) = (changed(.new, of: id, in: list), changed(.gone, of: id, in: list))
    let changed = Set(changed(.changed, of: id, in: list).map(\.member.path))
    let later = Dictionary(
      uniqueKeysWithValues: (members[list] ?? []).map { ($0.member.path, $0.member) })
    var kept = members[id] ?? []
    for index in kept.indices {
      let old = kept[index].member
      guard var member = later[old.path] else { continue }
      member.byteCount = member.byteCount ?? old.byteCount
      member.checksum = member.checksum ?? old.checksum
      member.stamp = member.stamp ?? old.stamp
      kept[index].member = member
      if changed.contains(old.path) { added[id]?.remove(kept[index].number) }
    }
    let first = (kept.map(\.number).max() ?? -1) + 1
    if sync.removesGone {
      kept.removeAll { gone.contains($0) }
      added[id]?.subtract(gone.map(\.number))
    }
    kept += new.enumerated().map {
      NumberedMember(number: first + Int64($0.offset), member: $0.element.member)
    }
    members[id] = kept
  }
}
