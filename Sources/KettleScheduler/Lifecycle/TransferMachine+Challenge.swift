import KettleModel

/// Challenges from servers, and the responses of a task's program.
extension TransferMachine {
  /// Returns the challenge for the program, or nil when the reply is accepted as it is. A proxy's
  /// challenge (407) is left to the user.
  func loginChallenge(in head: ResponseHead, from url: TransferURL) -> ServerChallenge? {
    guard head.status == 401, record.task?.challengePolicy == .ask,
      let offered = LoginChallenge.best(in: head), let kind = offered.kind
    else { return nil }
    return counted(
      ServerChallenge(
        kind: kind, origin: url.origin.text, realm: offered.realm, failureCount: 0))
  }

  /// How a 401 to the first connection is treated when the program is not consulted. Further
  /// connections never supply the task's reply.
  func challengePolicy(of head: ResponseHead) -> TaskStatus.ChallengePolicy {
    isTask && head.status == 401 ? .takeReplyAsItStands : .ask
  }

  /// Waits for the program's response; nil when there is no program.
  mutating func asksProgram(
    _ challenge: ServerChallenge, because failure: TransferFailure
  ) -> AfterEnding? {
    guard record.task != nil else { return nil }
    let asked = counted(challenge)
    record.task?.challenge = asked
    return .waiting(Waiting(reason: .needsLogin, until: nil, goesOnAt: nil, failure: failure))
  }

  /// If a response of this kind for this origin already exists, it was wrong.
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

  /// Accepts the program's response. A response to any challenge but the pending one changes
  /// nothing: it is late or a duplicate.
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
    // A response of another kind counts as no response.
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

  /// Accepts the system's verdict on the server in place of the program's; a server that the system
  /// does not trust stays a challenge for the program.
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

  /// The failure for which it waits for its program; nil when it does not wait.
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
      // The challenged attempt has not ended yet.
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
  /// The credential for an origin.
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
