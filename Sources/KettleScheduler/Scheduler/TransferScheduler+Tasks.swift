import KettleModel

/// Requests from the programs of sessions, and what their tasks depend on.
extension TransferScheduler {
  /// Removes tasks whose programs know how they ended; unfinished ones stay.
  ///
  /// - Parameter secrets: one per id when the bytes of failed tasks are to be kept as resume data.
  ///   The caller draws them, because they must be unguessable.
  package mutating func acknowledge(
    _ ids: [TransferID], keepingBytesFor secrets: [String]?
  ) -> (tokens: [ResumeToken], Turn) {
    var turn = Turn()
    var tokens: [ResumeToken] = []
    for (index, id) in ids.enumerated() {
      let secret = secrets.flatMap { $0.indices.contains(index) ? $0[index] : nil }
      let operation = nextOperation()
      let action = update(id, &turn) {
        $0.acknowledge(keepingBytesFor: secret, operation)
      }
      perform(action, of: id, &turn)
      if secret != nil, let token = machines[id]?.record.task?.resumeToken, !tokens.contains(token)
      {
        tokens.append(token)
      }
    }
    return (tokens, turn)
  }

  /// Makes resume tokens for failed tasks whose programs have not been notified yet.
  package mutating func makeTokens(
    for ids: [TransferID], secrets: [String]
  ) -> (tokens: [ResumeToken], Turn) {
    var turn = Turn()
    for (id, secret) in zip(ids, secrets) { _ = update(id, &turn) { $0.makeToken(secret: secret) } }
    let tokens = ids.compactMap { machines[$0]?.record.task?.resumeToken }
    return (tokens, turn)
  }

  package mutating func updateTask(
    _ id: TransferID, _ changes: TaskChanges, at now: Moment
  ) -> (ControlResult, Turn) {
    var turn = Turn()
    guard machines[id]?.isTask == true else { return (.unknown, turn) }
    _ = update(id, &turn) { $0.update(changes, at: now) }
    fillSlots(&turn, at: now)
    return (.applied, turn)
  }

  package mutating func answerChallenge(
    of id: TransferID, _ challenge: ServerChallenge, _ answer: ChallengeAnswer, at now: Moment
  ) -> (ControlResult, Turn) {
    var turn = Turn()
    guard machines[id]?.isTask == true else { return (.unknown, turn) }
    let operation = nextOperation()
    let action = update(id, &turn) { $0.answer(challenge, answer, operation, at: now) }
    let result = perform(action, of: id, &turn)
    fillSlots(&turn, at: now)
    return (result, turn)
  }

  // MARK: Sessions

  /// The tasks of a session that its program has not fully acknowledged, by task identifier.
  package func tasks(of session: SessionID) -> [TransferMachine] {
    machines.values
      .filter { $0.record.spec.session == session }
      .filter { $0.isTask && !$0.isPutAside && !$0.isBeingRemoved }
      .sorted { $0.record.taskIdentifier < $1.record.taskIdentifier }
  }

  /// Turns the transfers of a session into the user's own, with new task identifiers.
  package mutating func adopt(_ session: SessionID, at now: Moment) -> (ids: [TransferID], Turn) {
    var turn = Turn()
    let ids = transfers(of: session)
    for id in ids {
      let number = nextTaskIdentifier(in: .kettle, wanted: nil)
      _ = update(id, &turn) { $0.adopt(taskIdentifier: number) }
      // Each session has its own `QueueLane`.
      if let machine = machines[id] { file(machine) }
    }
    fillSlots(&turn, at: now)
    return (ids, turn)
  }

  /// Removes the transfers of a session, including files that only its program could find.
  package mutating func drop(_ session: SessionID, at now: Moment) -> (ids: [TransferID], Turn) {
    var turn = Turn()
    let ids = transfers(of: session)
    for id in ids {
      let operation = nextOperation()
      let action = update(id, &turn) { $0.drop(.stays, operation) }
      perform(action, of: id, &turn)
    }
    fillSlots(&turn, at: now)
    return (ids, turn)
  }

  /// The transfers of a program's session; the user's own session belongs to no program.
  private func transfers(of session: SessionID) -> [TransferID] {
    guard session != .kettle else { return [] }
    return machines.values
      .filter { $0.record.spec.session == session && !$0.isBeingRemoved }
      .map(\.record.id).sorted()
  }

  package mutating func setPolicy(
    of session: SessionID, _ policy: SessionPolicy, at now: Moment
  ) -> Turn {
    var turn = Turn()
    policies[session] = policy
    for id in waitingForTrust(in: session) { _ = update(id, &turn) { _ in } }
    fillSlots(&turn, at: now)
    return turn
  }

  private func waitingForTrust(in session: SessionID) -> [TransferID] {
    machines.values
      .filter { $0.record.spec.session == session && $0.record.task?.challenge != nil }
      .map(\.record.id).sorted()
  }

  /// If the program does not decide on trust, the system does; the transfer does not wait.
  func trustSystem(_ machine: inout TransferMachine) {
    guard policies[machine.record.spec.session]?.asksServerTrust == false else { return }
    machine.trustSystem()
  }

  // MARK: Conditions

  package mutating func conditionsChanged(
    _ met: Set<TransferCondition>, at now: Moment
  ) -> Turn {
    var turn = Turn()
    guard met != metConditions else { return turn }
    metConditions = met
    // During shutdown everything ends anyway; conditions are checked again after the next start.
    guard phase == .working else { return turn }
    let concerned = machines.filter { $1.record.spec.task?.conditions.isEmpty == false }
    for id in concerned.keys.sorted() {
      let unmet = concerned[id]?.unmetCondition(met)
      let action = update(id, &turn) { $0.conditionsChanged(unmet: unmet) }
      perform(action, of: id, &turn)
    }
    fillSlots(&turn, at: now)
    return turn
  }
}
