import KettleModel

/// What a transfer does when it hears of the peer that it waits for.
extension TransferMachine.State {
  func hear(_ news: PeerNews, of peer: Peer, _ facts: inout TransferFacts, at now: Moment)
    -> Transition
  {
    guard var waiting, waiting.peer == peer else { return .none }
    switch news {
    case .answers, .probe: return following(.queued, orNow: .queued)
    case .pausing(let until):
      waiting.goesOnAt = until.wall
      return following(.waiting(waiting), orNow: .waiting(waiting))
    case .givenUp:
      // Silence does not end a task that has a time limit of its own.
      if facts.outlasts(waiting.failure) { return following(.queued, orNow: .queued) }
      if case .waiting = self { facts.finishedAt = now.wall }
      return following(.failed(waiting.failure), orNow: .failed(waiting.failure))
    }
  }

  /// A queued transfer waits for a peer that cannot be reached. A whole file needs none.
  func holdBack(
    for peer: Peer, until: Moment, _ failure: TransferFailure, _ facts: TransferFacts
  ) -> Transition {
    guard case .queued = self, facts.wholeResumeData == nil else { return .none }
    return .entering(.waiting(.forPeer(peer, until: until, failure)))
  }

  /// A queued transfer waits for another login. A whole file needs none.
  func holdBackForLogin(_ facts: TransferFacts) -> Transition {
    guard case .queued = self, facts.wholeResumeData == nil else { return .none }
    let failure = TransferFailure.loginNeeded(
      on: facts.spec.url, status: 401, words: facts.spec.url.scheme.family == .http ? nil : "",
      user: facts.requestSpec.login?.user)
    return .entering(.waiting(.forEvent(.needsLogin, failure)))
  }

  /// Enters a state, or lets it follow when the last bytes are stored.
  private func following(
    _ next: TransferMachine.AfterEnding, orNow state: TransferMachine.State
  ) -> Transition {
    if case .ending(let phase, _) = self { return .entering(.ending(phase, next: next)) }
    return .entering(state)
  }
}

extension TransferMachine.Waiting {
  static func forPeer(_ peer: Peer, until: Moment, _ failure: TransferFailure) -> Self {
    Self(
      reason: peer.waitingReason, until: nil, goesOnAt: until.wall, failure: failure, peer: peer)
  }
}

extension TransferFacts {
  /// What follows an attempt without a response; nil when its peer can be reached. The attempts
  /// count only if the user has limited them.
  mutating func afterOutage(
    _ failure: TransferFailure, in context: DecisionContext
  ) -> TransferMachine.AfterEnding? {
    switch context.outage {
    case .notOfPeer: return nil
    case .pausing(let peer, let until):
      if let attemptsMax = spec.options.attemptsMax, attemptsMax > 0 {
        retryCount += 1
        if retryCount >= attemptsMax { return .failed(failure) }
      }
      return .waiting(.forPeer(peer, until: until, failure))
    case .givenUp: return outlasts(failure) ? nil : .failed(failure)
    }
  }

  func outlasts(_ failure: TransferFailure) -> Bool {
    failure.code == .timedOut && task?.hasTimeLimit == true
  }
}
