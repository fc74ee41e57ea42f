import KettleModel

/// What the programs of sessions ask, and what their tasks depend on.
extension Brain {
  /// Takes tasks off the list whose programs know how they ended; unfinished ones stay.
  ///
  /// - Parameter secrets: one for each id when what failed tasks have is to be put aside; drawn by
  ///   the caller, because nobody must be able to guess them.
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

  /// Makes the tokens of failed tasks whose programs are still to be told.
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

  /// The tasks of a session whose program was not told everything, by task identifier.
  package func tasks(of session: SessionID) -> [TransferMachine] {
    machines.values
      .filter { $0.record.spec.session == session }
      .filter { $0.isTask && !$0.isPutAside && !$0.isBeingRemoved }
      .sorted { $0.record.taskIdentifier < $1.record.taskIdentifier }
  }

  /// Makes the transfers of a session the user's own, with numbers of their own.
  package mutating func adopt(_ session: SessionID, at now: Moment) -> (ids: [TransferID], Turn) {
    var turn = Turn()
    let ids = transfers(of: session)
    for id in ids {
      let number = nextTaskIdentifier(in: .kettle, wanted: nil)
      _ = update(id, &turn) { $0.adopt(taskIdentifier: number) }
      // Sessions stand in line apart.
      if let machine = machines[id] { file(machine) }
    }
    fillSlots(&turn, at: now)
    return (ids, turn)
  }

  /// Removes the transfers of a session, with all that only its program could find.
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

  /// Those of a program; what is the user's own belongs to no program.
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

  /// A program that is not asked is not waited for: the system decides, as it does without one.
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
    // While it goes down everything ends anyhow, and is looked at again after the next start.
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
