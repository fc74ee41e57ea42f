import KettleModel
import KettleScheduler

/// New transfers. A long list takes several turns of the engine, so that others are answered in
/// between, and one commit.
extension TransferEngine {
  /// How many transfers are added in one turn.
  static let addedInTurnCountMax = 500

  /// Adds transfers, all or none. When it returns, they are in the store.
  ///
  /// - Parameter decided: called when they have their positions and are on their way to the store.
  ///   Transfers added from then on come after them.
  package func add(
    _ specs: [TransferSpec], whenDecided decided: @Sendable () -> Void = {}
  ) async throws(EngineError) -> [TransferID] {
    await lists.enter()?.value()
    let (ids, pages) = await records(specs)
    let kept = Completion<Result<Void, any Error>>()
    submit(pages.flatMap(\.changes), .reportFailure) { kept.finish($0) }
    decided()
    // Reserved now, because the tasks may continue in another order than that of their commits.
    let admission = lists.passOn()
    let outcome = await kept.value()
    await admission?.value()
    defer { lists.leave() }
    if case .failure(let error) = outcome {
      for page in pages { decide { $0.withdraw(page.changes) } }
      throw .cannotKeep("\(error)")
    }
    for (number, page) in pages.enumerated() {
      if number > 0 { await turn() }
      announceRemoved(page.removed)
      admit(page.changes)
    }
    return ids
  }

  /// Makes the records. The ids of one list are consecutive.
  private func records(
    _ specs: [TransferSpec]
  ) async -> (ids: [TransferID], pages: [SchedulerOutput]) {
    var ids: [TransferID] = []
    var pages: [SchedulerOutput] = []
    var rest = specs[...]
    repeat {
      if !pages.isEmpty { await turn() }
      let page = Array(rest.prefix(Self.addedInTurnCountMax))
      rest = rest.dropFirst(page.count)
      let now = clock.now()
      let (added, output) = decide { $0.add($0.completed(page), at: now) }
      ids += added
      pages.append(output)
    } while !rest.isEmpty
    return (ids, pages)
  }

  private func admit(_ changes: [JournalChange]) {
    let now = clock.now()
    let (evicted, output) = decide { $0.admit(changes, at: now) }
    if !evicted.isEmpty { outlooks.noteEviction() }
    announceAdded(changes, evicted[...])
    run(output, at: now)
    evict()
  }

  /// Notifies the observer of new transfers as the store has them; those that run are reported
  /// next. Nearly all transfers of a long list are dormant, and are reported in batches.
  ///
  /// - Parameter evicted: the new transfers that only the store has, in the same order.
  private func announceAdded(_ changes: [JournalChange], _ evicted: ArraySlice<TransferID>) {
    var evicted = evicted
    var listedFrom = changes.startIndex
    for (index, change) in changes.enumerated() {
      guard case .put(let record) = change else { continue }
      if evicted.first == record.id {
        evicted.removeFirst()
        continue
      }
      tell(listed: changes[listedFrom..<index])
      listedFrom = index + 1
      observer(.added(rows.row(of: record)))
    }
    tell(listed: changes[listedFrom...])
  }

  private func tell(listed changes: ArraySlice<JournalChange>) {
    let listed = ListedTransfers(changes, rows)
    if !listed.isEmpty { observer(.listed(listed)) }
  }
}

/// The two steps in which a list enters the engine: it gets its ids, and it is admitted when the
/// store has it. Each step takes several turns and handles one list at a time, in order.
struct ListPassage {
  private var deciding = Passage()
  private var admitting = Passage()

  /// Queues a list for its ids. Returns the completion to wait for; nil if no list is before it.
  mutating func enter() -> Completion<Void>? { deciding.enter() }

  /// Starts the next list on its ids, and queues this one for admission. Returns the completion to
  /// wait for; nil if no list is before it.
  mutating func passOn() -> Completion<Void>? {
    defer { deciding.leave() }
    return admitting.enter()
  }

  /// Starts the admission of the next list.
  mutating func leave() { admitting.leave() }
}

/// A step that one list takes at a time.
private struct Passage {
  private enum State {
    case free
    case taken(waiting: [Completion<Void>])
  }

  private var state = State.free

  /// Takes the passage. Returns what to wait for when others are before; nil if it is free.
  mutating func enter() -> Completion<Void>? {
    switch state {
    case .free:
      state = .taken(waiting: [])
      return nil
    case .taken(let waiting):
      let turn = Completion<Void>()
      state = .taken(waiting: waiting + [turn])
      return turn
    }
  }

  /// Lets the next one in.
  mutating func leave() {
    guard case .taken(let waiting) = state, let next = waiting.first else {
      state = .free
      return
    }
    state = .taken(waiting: Array(waiting.dropFirst()))
    next.finish()
  }
}

/// What became of a request for a URL that is on the list.
package enum FollowOutcome: Hashable, Sendable {
  /// The transfer leads to what is asked. It has taken over these parts.
  case follows([RequestPart])
  /// The request means another file, or the file is not what was finished: a new transfer is
  /// needed.
  case needsAnother(Reason)
  /// These parts cannot be taken over any more, and nothing was.
  case tooLate([RequestPart], TransferState)
  /// The finished file does not have the checksum, and nothing was taken over.
  case mismatch(path: String, found: String)
  /// The finished file cannot be compared with the checksum.
  case unreadable(TransferFailure)

  package enum Reason: String, Hashable, Sendable, Codable {
    /// There is no such transfer any more.
    case transferGone
    /// It goes to another place, or belongs to another session.
    case otherFile
    case fileGone, fileChanged
  }
}

/// Requests for URLs that are on the list already.
extension TransferEngine {
  /// Lets a transfer take over what a new request for its URL asks, all or nothing, and starts it
  /// if it stands still. Returns when the store has the change.
  package func follow(_ id: TransferID, as asked: TransferSpec) async -> FollowOutcome {
    await withoutEviction {
      await load([id])
      guard let machine = scheduler.machines[id], !machine.isTask else {
        return .needsAnother(.transferGone)
      }
      let difference = RequestDifference(
        from: machine.spec, at: snapshot(of: id)?.path, to: asked)
      if difference.isForAnotherFile { return .needsAnother(.otherFile) }
      if machine.visibleState == .completed, let file = machine.record.finishedFile {
        if let problem = await problem(with: file, difference, asked) { return problem }
      }
      return await takeOver(difference, by: id)
    }
  }

  private func takeOver(_ difference: RequestDifference, by id: TransferID) async -> FollowOutcome {
    // A user may have changed it meanwhile.
    guard let machine = scheduler.machines[id] else { return .needsAnother(.transferGone) }
    let late = difference.parts(tooLateAt: machine.requestProgress)
    guard late.isEmpty else { return .tooLate(late, machine.visibleState) }
    let result = await controlResident(
      .takeOver(difference), [id], into: nil, reportTo: ControlReport())
    return result == [.applied] ? .follows(difference.parts) : .needsAnother(.transferGone)
  }

  /// Compares a finished file with what is asked; nil if it is that.
  private func problem(
    with file: FinishedFile, _ difference: RequestDifference, _ asked: TransferSpec
  ) async -> FollowOutcome? {
    // What became of an object, only its store knows.
    if ObjectPrefix.isMeant(by: file.path) { return nil }
    let checksum = asked.checksum
    let (standing, found) = await compare(
      file, needsDigest: difference.checksum != nil || file.verifiedBy == nil, checksum?.algorithm)
    switch (standing, found, checksum) {
    case (.missing, _, _): return .needsAnother(.fileGone)
    case (_, .success(let hex), let checksum?) where hex == checksum.hex: return nil
    case (.changed, _, _): return .needsAnother(.fileChanged)
    case (.unchanged, .success(let hex), .some):
      return .mismatch(path: file.path, found: hex)
    case (.unchanged, .failure(let failure), _): return .unreadable(failure)
    case (.unchanged, _, _): return nil
    }
  }

  /// - Parameter needsDigest: whether the digest of an unchanged file is not known.
  private func compare(
    _ file: FinishedFile, needsDigest: Bool, _ algorithm: Checksum.Algorithm?
  ) async -> (FinishedFileStanding, Result<String, TransferFailure>?) {
    await withCheckedContinuation { done in
      files.digests.async { [files = files.storage] in
        let standing = files.standing(of: file)
        let isNeeded = standing == .changed || (standing == .unchanged && needsDigest)
        guard let algorithm, isNeeded else { return done.resume(returning: (standing, nil)) }
        let digest = Result { () throws(TransferFailure) in
          try files.digest(ofFileAt: file.path, algorithm: algorithm)
        }
        done.resume(returning: (standing, digest))
      }
    }
  }
}

/// Requests from programs that have sessions.
extension TransferEngine {
  /// Ends tasks as cancelled. Returns when their bytes are durable, or gone.
  package func cancelTasks(
    _ ids: [TransferID], keepsBytes: Bool
  ) async -> [TransferScheduler.ControlResult] {
    await control(.cancel(keepsBytes: keepsBytes), ids)
  }

  /// Removes tasks whose programs know how they ended. Tasks that have not ended stay.
  ///
  /// - Returns: the tokens for the tasks with bytes worth keeping, in the order of `ids`.
  package func acknowledgeTasks(
    _ ids: [TransferID], keepsResumeData: Bool
  ) async -> [ResumeToken] {
    // The program may respond before the last bytes of what it was notified about are stored.
    await rest(of: ids)
    let secrets = keepsResumeData ? secrets(for: ids) : nil
    let failed = ids.filter { scheduler.machines[$0]?.failure != nil }
    let tokens = await ask { scheduler, _ in
      scheduler.acknowledge(ids, keepingBytesFor: secrets)
    }
    await settle(ids)
    // For a completed task, the first commit already tells the store that it will be removed.
    if !failed.isEmpty { await rest(of: failed) }
    return tokens
  }

  /// Makes the tokens of failed tasks, and acknowledges nothing: their programs have yet to be
  /// notified, with these tokens.
  ///
  /// - Returns: the tokens for the tasks with bytes worth keeping, in the order of `ids`.
  package func makeTokens(for ids: [TransferID]) async -> [ResumeToken] {
    await rest(of: ids)
    let secrets = secrets(for: ids)
    return await ask { scheduler, _ in
      scheduler.makeTokens(for: ids, secrets: secrets)
    }
  }

  private func secrets(for ids: [TransferID]) -> [String] { ids.map { _ in secret() } }

  /// 128 bits, so that no program can guess the token for another one's bytes.
  private func secret() -> String {
    (0..<2).map { _ in
      let digits = String(work.random(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  package func updateTask(_ id: TransferID, _ changes: TaskChanges) async
    -> TransferScheduler.ControlResult
  {
    await ask { scheduler, now in scheduler.updateTask(id, changes, at: now) }
  }

  /// Accepts the program's answer. An answer to another challenge than the pending one changes
  /// nothing.
  package func answerChallenge(
    of id: TransferID, _ challenge: ServerChallenge, _ answer: ChallengeAnswer
  ) async -> TransferScheduler.ControlResult {
    await ask { scheduler, now in
      scheduler.answerChallenge(of: id, challenge, answer, at: now)
    }
  }

  /// The tasks of a session by task identifier, without those set aside as resume data.
  ///
  /// - Parameter mark: called on the engine when the tasks are read. What the observer received
  ///   before is in them; what it receives later is at least as new.
  package func tasks(
    of session: SessionID, markingWith mark: @Sendable () -> Void = {}
  ) -> [(snapshot: TransferSnapshot, spec: TransferSpec)] {
    mark()
    return scheduler.tasks(of: session).compactMap { machine in
      snapshot(of: machine.id).map { ($0, machine.spec) }
    }
  }

  package func lastTaskIdentifier(of session: SessionID) -> Int64 {
    scheduler.lastTaskIdentifier(of: session)
  }

  // MARK: Sessions

  /// Makes the transfers of a session the user's own.
  package func adopt(_ session: SessionID) async -> [TransferID] {
    await withoutEviction {
      await load(session)
      return await ask { scheduler, now in scheduler.adopt(session, at: now) }
    }
  }

  /// Removes the transfers of a session and everything that its program did not take.
  package func drop(_ session: SessionID) async -> [TransferID] {
    await withoutEviction {
      await load(session)
      let ids = await ask { scheduler, now in scheduler.drop(session, at: now) }
      await rest(of: ids)
      return ids
    }
  }

  /// Loads the transfers that users added to a session; its tasks are in memory anyway.
  private func load(_ session: SessionID) async {
    guard session != .kettle else { return }
    let rows = rows
    _ = await load { archive in
      let order = try archive.order(RowFilter(session: session), RowSort(), rows: rows)
      return try archive.records(order.ids)
    }
  }

  /// Sets how the transfers of a session are treated from now on.
  package func setPolicy(of session: SessionID, _ policy: SessionPolicy) {
    apply { scheduler, now in scheduler.setPolicy(of: session, policy, at: now) }
  }

  /// Sets which conditions hold on this machine now.
  package func conditionsChanged(_ met: Set<TransferCondition>) {
    apply { scheduler, now in scheduler.conditionsChanged(met, at: now) }
  }

  /// Stores changes that concern no transfer. When it returns, they survive a power cut.
  package func keep(_ changes: [JournalChange]) async throws(EngineError) {
    let result = await withCheckedContinuation { done in
      submit(changes, .reportFailure) { done.resume(returning: $0) }
    }
    if case .failure(let error) = result { throw .cannotKeep("\(error)") }
  }

  /// Stores changes that concern no transfer as soon as the store can be written. Does not wait for
  /// it; `shutDown` does.
  package func submit(_ changes: [JournalChange]) { submit(changes) { _ in } }
}
