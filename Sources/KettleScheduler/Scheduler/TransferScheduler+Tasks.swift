import KettleModel

/// Requests from the programs of sessions, and what their tasks depend on.
extension TransferScheduler {
  /// Removes tasks whose programs know how they ended; unfinished ones stay.
  ///
  /// - Parameter secrets: one per id when the bytes of failed tasks are to be kept as resume data.
  ///   The caller draws them, because they must be unguessable.
  package mutating func acknowledge(
    _ tasks: [TransferID], keepingBytesFor secrets: [String]?
  ) -> (tokens: [ResumeToken], SchedulerOutput) {
    var output = SchedulerOutput()
    var tokens: [ResumeToken] = []
    for (index, id) in tasks.enumerated() {
      let secret = secrets.flatMap { $0.indices.contains(index) ? $0[index] : nil }
      let operation = ids.nextOperation()
      update(id, into: &output) { $0.acknowledge(keepingBytesFor: secret, operation) }
      if secret != nil, let token = machines[id]?.resumeToken, !tokens.contains(token) {
        tokens.append(token)
      }
    }
    return (tokens, output)
  }

  /// Makes resume tokens for failed tasks whose programs have not been notified yet.
  package mutating func makeTokens(
    for tasks: [TransferID], secrets: [String]
  ) -> (tokens: [ResumeToken], SchedulerOutput) {
    var output = SchedulerOutput()
    for (id, secret) in zip(tasks, secrets) {
      update(id, into: &output) {
        $0.makeToken(secret: secret)
        return .none
      }
    }
    return (tasks.compactMap { machines[$0]?.resumeToken }, output)
  }

  package mutating func updateTask(
    _ id: TransferID, _ changes: TaskChanges, at now: Moment
  ) -> (ControlResult, SchedulerOutput) {
    var output = SchedulerOutput()
    guard machines[id]?.isTask == true else { return (.refused(.unknown), output) }
    update(id, into: &output) { $0.update(with: changes, at: now) }
    fillSlots(&output, at: now)
    return (.applied, output)
  }

  package mutating func answerChallenge(
    of id: TransferID, _ challenge: ServerChallenge, _ answer: ChallengeAnswer, at now: Moment
  ) -> (ControlResult, SchedulerOutput) {
    var output = SchedulerOutput()
    guard machines[id]?.isTask == true else { return (.refused(.unknown), output) }
    let operation = ids.nextOperation()
    let transition = update(id, into: &output) {
      $0.respond(to: challenge, with: answer, operation, at: now)
    }
    fillSlots(&output, at: now)
    return (ControlResult(transition), output)
  }

  // MARK: Sessions

  /// The tasks of a session that its program has not fully acknowledged, by task identifier.
  package func tasks(of session: SessionID) -> [TransferMachine] {
    machines.values
      .filter { $0.spec.session == session }
      .filter { $0.isTask && !$0.isPutAside && !$0.isBeingRemoved }
      .sorted { $0.taskIdentifier < $1.taskIdentifier }
  }

  /// Turns the transfers of a session into the user's own, with new task identifiers.
  package mutating func adopt(
    _ session: SessionID, at now: Moment
  ) -> (ids: [TransferID], SchedulerOutput) {
    var output = SchedulerOutput()
    let adopted = transfers(of: session)
    for id in adopted {
      let number = ids.nextTask(in: .kettle, wanted: nil)
      update(id, into: &output) { $0.adopt(taskIdentifier: number) }
      // Each session has its own `OriginQueue`.
      if let machine = machines[id] { file(machine) }
    }
    fillSlots(&output, at: now)
    return (adopted, output)
  }

  /// Removes the transfers of a session, including files that only its program could find.
  package mutating func drop(
    _ session: SessionID, at now: Moment
  ) -> (ids: [TransferID], SchedulerOutput) {
    var output = SchedulerOutput()
    let dropped = transfers(of: session)
    for id in dropped {
      let operation = ids.nextOperation()
      update(id, into: &output) { $0.drop(operation) }
    }
    fillSlots(&output, at: now)
    return (dropped, output)
  }

  /// The transfers of a program's session; the user's own session belongs to no program.
  private func transfers(of session: SessionID) -> [TransferID] {
    guard session != .kettle else { return [] }
    return machines.values
      .filter { $0.spec.session == session && !$0.isBeingRemoved }
      .map(\.id).sorted()
  }

  package mutating func setPolicy(
    of session: SessionID, _ policy: SessionPolicy, at now: Moment
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    rules.setPolicy(of: session, policy)
    for id in challenged(in: session) { update(id, into: &output) { _ in .none } }
    fillSlots(&output, at: now)
    return output
  }

  private func challenged(in session: SessionID) -> [TransferID] {
    machines.values
      .filter { $0.spec.session == session && $0.pendingChallenge != nil }
      .map(\.id).sorted()
  }

  // MARK: Conditions

  package mutating func conditionsChanged(
    _ met: Set<TransferCondition>, at now: Moment
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    // During shutdown everything ends anyway; conditions are checked again after the next start.
    guard rules.setConditions(met), phase == .working else { return output }
    checkConditionsOfUser()
    let concerned = machines.filter { $1.spec.task?.conditions.isEmpty == false }
    for id in concerned.keys.sorted() {
      let unmet = concerned[id]?.unmetCondition(met)
      update(id, into: &output) { $0.conditionsChanged(unmet: unmet) }
    }
    fillSlots(&output, at: now)
    return output
  }
}
