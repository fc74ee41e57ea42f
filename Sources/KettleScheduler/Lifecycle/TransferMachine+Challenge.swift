import KettleModel

/// What servers want to know, or to be believed, and what the program of a task says to it.
extension TransferMachine {
  /// What the program is asked after this reply; nil when the reply is taken as it stands. A proxy
  /// (407) is the user's business.
  func loginChallenge(in head: ResponseHead, from url: TransferURL) -> ServerChallenge? {
    guard head.status == 401, record.task?.challengePolicy == .ask,
      let offered = LoginChallenge.best(in: head), let kind = offered.kind
    else { return nil }
    return counted(
      ServerChallenge(
        kind: kind, origin: url.origin.text, realm: offered.realm, failureCount: 0))
  }

  /// What the opener's reply means, once it is known that the program is not asked. A further lane
  /// brings no reply of its own.
  func challengePolicy(of head: ResponseHead) -> TaskStatus.ChallengePolicy {
    isTask && head.status == 401 ? .takeReplyAsItStands : .ask
  }

  /// Waits for the program's answer; nil when nobody can be asked.
  mutating func asksProgram(
    _ challenge: ServerChallenge, because failure: TransferFailure
  ) -> AfterEnding? {
    guard record.task != nil else { return nil }
    let asked = counted(challenge)
    record.task?.challenge = asked
    return .waiting(Waiting(reason: .needsLogin, until: nil, goesOnAt: nil, failure: failure))
  }

  /// An answer of this kind for this origin that is there already was a wrong one.
  private func counted(_ challenge: ServerChallenge) -> ServerChallenge {
    var challenge = challenge
    let known = record.spec.task?.credentials.first { $0.origin == challenge.origin }
    let wasAnswered =
      switch challenge.kind {
      case .basic, .digest, .ntlm, .negotiate: known?.login != nil
      case .serverTrust: known?.trustedKeys.isEmpty == false
      case .clientCertificate: known?.certificate != nil
      }
    challenge.failureCount = wasAnswered ? record.task?.answeredChallengeCount ?? 0 : 0
    return challenge
  }

  /// Takes the program's answer. One to another challenge than the one that waits changes nothing:
  /// it comes late, or twice.
  package mutating func answer(
    _ challenge: ServerChallenge, _ answer: ChallengeAnswer, _ operation: OperationID,
    at now: Moment
  ) -> ControlAction {
    guard let failure = waitingFailure, record.task?.challenge == challenge else {
      return .nothing
    }
    switch (challenge.kind, answer) {
    case (_, .cancel): return cancel(keepsBytes: true, operation, at: now)
    case (.basic, .login(let login)), (.digest, .login(let login)), (.ntlm, .login(let login)),
      (.negotiate, .login(let login)):
      remember(challenge) {
        $0.login = login
        $0.scheme = challenge.kind
      }
    case (.clientCertificate, .certificate(let certificate)):
      remember(challenge) { $0.certificate = certificate }
    case (.serverTrust, .trust):
      guard let key = challenge.serverKey else { return refuseTrust(failure, challenge, at: now) }
      remember(challenge) { $0.trustedKeys.insert(key) }
    // An answer of another kind answers nothing: as if nobody had been asked.
    case (.serverTrust, _):
      guard challenge.isTrustedBySystem, let key = challenge.serverKey else {
        return refuseTrust(failure, challenge, at: now)
      }
      remember(challenge) { $0.trustedKeys.insert(key) }
    case (.clientCertificate, _): return fail(with: failure, at: now)
    case (.basic, _), (.digest, _), (.ntlm, _), (.negotiate, _):
      record.task?.challengePolicy = .takeReplyAsItStands
    }
    goOnAnswered()
    return .nothing
  }

  /// Believes the system about the server that its program would have been asked about; what the
  /// system does not trust stays a question.
  mutating func trustSystem() {
    guard waitingFailure != nil, let challenge = record.task?.challenge,
      challenge.kind == .serverTrust, challenge.isTrustedBySystem, let key = challenge.serverKey
    else { return }
    remember(challenge) { $0.trustedKeys.insert(key) }
    goOnAnswered()
  }

  private mutating func remember(
    _ challenge: ServerChallenge, _ change: (inout OriginCredential) -> Void
  ) {
    record.spec.task?.changeCredential(for: challenge.origin, change)
    record.task?.answeredChallengeCount = challenge.failureCount.addingCapped(1)
  }

  /// Why it waits for its program; nil when it does not.
  private var waitingFailure: TransferFailure? {
    switch state {
    case .waiting(let waiting) where waiting.reason == .needsLogin: waiting.failure
    case .ending(_, next: .waiting(let waiting)) where waiting.reason == .needsLogin:
      waiting.failure
    case .idle, .scheduled, .queued, .running, .ending, .waiting, .paused, .verifying, .discarding,
      .placing, .completed, .failed, .removed:
      nil
    }
  }

  private mutating func goOnAnswered() {
    if case .ending(let phase, _) = state {
      // The attempt that was challenged is not over yet.
      enter(.ending(phase, next: .queued))
    } else {
      enter(.queued)
    }
  }

  private mutating func refuseTrust(
    _ failure: TransferFailure, _ challenge: ServerChallenge, at now: Moment
  ) -> ControlAction {
    fail(
      with: failure.code == .tlsRefused
        ? failure : TransferFailure(.tlsRefused, on: challenge.origin, detail: failure.detail),
      at: now)
  }

  private mutating func fail(with failure: TransferFailure, at now: Moment) -> ControlAction {
    if case .ending(let phase, _) = state {
      enter(.ending(phase, next: .failed(failure)))
    } else {
      record.finishedAt = now.wall
      enter(.failed(failure))
    }
    return .nothing
  }
}

extension TaskOptions {
  /// What was given for an origin.
  func credential(for origin: Origin) -> OriginCredential? {
    credentials.first { $0.origin == origin.text }
  }

  mutating func changeCredential(
    for origin: String, _ change: (inout OriginCredential) -> Void
  ) {
    if let index = credentials.firstIndex(where: { $0.origin == origin }) {
      change(&credentials[index])
    } else {
      var credential = OriginCredential(origin: origin)
      change(&credential)
      credentials.append(credential)
    }
  }
}

extension Int {
  fileprivate func addingCapped(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? self : sum
  }
}
