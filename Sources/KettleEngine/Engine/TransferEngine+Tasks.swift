import KettleScheduler
import KettleModel

/// What the programs of sessions ask.
extension TransferEngine {
  /// Ends tasks as cancelled; answers when what they had is kept, or gone.
  package func cancelTasks(
    _ ids: [TransferID], keepsBytes: Bool
  ) async -> [Brain.ControlResult] {
    await control(.cancel(keepsBytes: keepsBytes), ids)
  }

  /// Takes tasks off the list whose programs know how they ended; what has no end yet stays.
  ///
  /// - Returns: by which those with bytes worth keeping are found again, in the order of `ids`.
  package func acknowledgeTasks(
    _ ids: [TransferID], keepsResumeData: Bool
  ) async -> [ResumeToken] {
    // The program may be quicker than the last bytes of what it was told about.
    await rest(of: ids)
    let now = clock.now()
    let secrets = keepsResumeData ? Self.secrets(for: ids) : nil
    let failed = ids.filter { brain.machines[$0]?.record.failure != nil }
    let (tokens, turn) = brain.acknowledge(ids, keepingBytesFor: secrets)
    await runDurably(turn, at: now).value()
    await settle(ids)
    // Of a completed one the store knows by the first commit that it is to go.
    if !failed.isEmpty { await rest(of: failed) }
    return tokens
  }

  /// Makes what failed tasks are found again by, and acknowledges nothing: their programs are still
  /// to be told, with these.
  ///
  /// - Returns: those of the tasks that have bytes worth keeping, in the order of `ids`.
  package func makeTokens(for ids: [TransferID]) async -> [ResumeToken] {
    await rest(of: ids)
    let now = clock.now()
    let (tokens, turn) = brain.makeTokens(for: ids, secrets: Self.secrets(for: ids))
    await runDurably(turn, at: now).value()
    return tokens
  }

  private static func secrets(for ids: [TransferID]) -> [String] { ids.map { _ in secret() } }

  /// 128 bits, so that nobody guesses their way to another's bytes.
  private static func secret() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(random.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  package func updateTask(_ id: TransferID, _ changes: TaskChanges) async -> Brain.ControlResult {
    let now = clock.now()
    let (result, turn) = brain.updateTask(id, changes, at: now)
    await runDurably(turn, at: now).value()
    return result
  }

  /// Takes the program's answer; one to another challenge than the one that waits changes nothing.
  package func answerChallenge(
    of id: TransferID, _ challenge: ServerChallenge, _ answer: ChallengeAnswer
  ) async -> Brain.ControlResult {
    let now = clock.now()
    let (result, turn) = brain.answerChallenge(of: id, challenge, answer, at: now)
    await runDurably(turn, at: now).value()
    return result
  }

  /// Without those put aside as resume data, by task identifier.
  package func tasks(of session: SessionID) -> [(snapshot: TransferSnapshot, spec: TransferSpec)] {
    brain.tasks(of: session).compactMap { machine in
      snapshot(of: machine.record.id).map { ($0, machine.record.spec) }
    }
  }

  package func lastTaskIdentifier(of session: SessionID) -> Int64 {
    brain.lastTaskIdentifier(of: session)
  }

  // MARK: Sessions

  /// Makes the transfers of a session the user's own.
  package func adopt(_ session: SessionID) async -> [TransferID] {
    await keepingAwake {
      await wake(session)
      let now = clock.now()
      let (ids, turn) = brain.adopt(session, at: now)
      await runDurably(turn, at: now).value()
      return ids
    }
  }

  /// Removes the transfers of a session with all that its program did not take.
  package func drop(_ session: SessionID) async -> [TransferID] {
    await keepingAwake {
      await wake(session)
      let now = clock.now()
      let (ids, turn) = brain.drop(session, at: now)
      await runDurably(turn, at: now).value()
      await rest(of: ids)
      return ids
    }
  }

  /// Brings into memory what people added to a session; its tasks are there anyhow.
  private func wake(_ session: SessionID) async {
    guard session != .kettle else { return }
    let rows = rows
    _ = await wake { archive in
      let order = try archive.order(RowFilter(session: session), RowSort(), rows: rows)
      return try archive.records(order.ids)
    }
  }

  /// How the transfers of a session are treated from now on.
  package func setPolicy(of session: SessionID, _ policy: SessionPolicy) {
    apply { brain, now in brain.setPolicy(of: session, policy, at: now) }
  }

  /// Which conditions hold on this machine now.
  package func conditionsChanged(_ met: Set<TransferCondition>) {
    apply { brain, now in brain.conditionsChanged(met, at: now) }
  }

  /// Keeps what is no transfer; when it returns it survives a power cut.
  package func keep(_ changes: [JournalChange]) async throws(EngineError) {
    let result = await withCheckedContinuation { done in
      journal.submit(changes, .reportFailure) { done.resume(returning: $0) }
    }
    if case .failure(let error) = result { throw .cannotKeep("\(error)") }
  }
}
