import KettleModel

/// The partial file of a running download: opened by the first response, and recorded before a byte
/// is written.
extension ActiveDownload {
  /// The partial file is open; nil when the attempt that opened it is gone.
  mutating func bodyOpened(
    _ resumeData: ResumeData, of attempt: AttemptID, _ facts: inout TransferFacts,
    at now: MonotonicTime
  ) -> Step? {
    guard case .opening(let plan) = body, let index = index(of: attempt) else { return nil }
    if case .create = plan, !resumeData.durable.isEmpty {
      // The copied bytes need not be fetched: only their end is, as their proof.
      return .end(facts.requesting(.resuming))
    }
    body = .opened
    received = resumeData.durable
    trusted = resumeData.durable
    if purpose.isFile { facts.recordOpening(by: connections[index]) }
    durableAtStartByteCount = resumeData.durable.byteCount
    connections[index].receive(connections[index].range, at: now)
    proof = resumeData.validator?.strongValue.map { .ifRange($0) } ?? .sameValidator
    if case .goOn = plan, let requested = connections[index].requested, requested != .all {
      if case .sameValidator = requested.proof { proof = .sameValidator }
      // Bytes may be requested again to compare them.
      facts.task?.recordResumption(at: resumeData.durable.byteCount)
    }
    if case .segment(let segmentIndex) = purpose {
      return accept(segmentIndex, by: attempt, &facts)
    }
    return Step(actions: [.acceptBody(facts.id, attempt, connections[index].range)])
  }

  /// The store has recorded the partial file; additional connections may join when the speed of the
  /// primary one is known.
  mutating func bodyRecorded(
    _ facts: TransferFacts, _ policy: DivisionPolicy, at now: MonotonicTime
  ) {
    guard body == .opened else { return }
    body = .open
    for index in connections.indices where connections[index].phase == .receiving {
      connections[index].receive(connections[index].range, at: now)
    }
    guard divisibleTotal(of: facts) != nil else { return }
    pacing.awaitSpeed(policy, at: now)
    switch facts.connectionDemand {
    case .exactly: break
    case .adaptive: growth.begin(presentByteCount, at: now)
    }
  }
}

extension TransferFacts {
  /// What follows when the partial file could not be opened or created.
  mutating func afterBodyRefused(
    _ failure: TransferFailure, in context: DecisionContext
  ) -> TransferMachine.AfterEnding {
    if failure.code == .partialFileChanged { return startingFresh(because: .partialFileChanged) }
    if failure.isOfFileThere, spec.onConflict == .skip {
      return .alreadyThere(path: failure.subject)
    }
    return afterFileFailure(failure, in: context)
  }
}
