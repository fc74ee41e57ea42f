import KettleModel

/// Challenges from servers, and the responses of a task's program.
extension TaskContract {
  /// What follows the program's response to a challenge.
  enum ChallengeOutcome: Hashable, Sendable {
    /// The request is sent again, with what the program supplied.
    case retried
    case failed(TransferFailure)
    case cancelled
  }

  /// Returns the challenge for the program, or nil when the response is accepted as it is. A
  /// proxy's challenge (407) is left to the user.
  func loginChallenge(in head: ResponseHead, from url: TransferURL) -> ServerChallenge? {
    guard head.status == 401, status.challengePolicy == .ask,
      let offered = LoginChallenge.best(in: head), let kind = offered.kind
    else { return nil }
    return counted(
      ServerChallenge(
        kind: kind, origin: url.origin.text, realm: offered.realm, failureCount: 0))
  }

  /// The challenge with the number of failed responses to it. If a response of its kind for its
  /// origin already exists, that response was wrong.
  func counted(_ challenge: ServerChallenge) -> ServerChallenge {
    var challenge = challenge
    let known = options.credentials.first { $0.origin == challenge.origin }
    let wasAnswered =
      switch challenge.kind {
      case .basic, .digest, .ntlm, .negotiate: known?.login != nil
      case .serverTrust: known?.trustedKeys.isEmpty == false
      case .clientCertificate: known?.certificate != nil
      case .delayedRequest: false
      }
    challenge.failureCount = wasAnswered ? status.answeredChallengeCount : 0
    return challenge
  }

  /// Applies the program's response to its pending challenge.
  ///
  /// - Parameter failure: what the transfer waits for; it fails with it if the response does not
  ///   help.
  mutating func respond(
    to challenge: ServerChallenge, with answer: ChallengeAnswer, failure: TransferFailure
  ) -> ChallengeOutcome {
    switch (challenge.kind, answer) {
    case (_, .cancel): return .cancelled
    case (.basic, .login(let login)), (.digest, .login(let login)), (.ntlm, .login(let login)),
      (.negotiate, .login(let login)):
      remember(challenge) {
        $0.login = login
        $0.scheme = challenge.kind
      }
    case (.clientCertificate, .certificate(let certificate)):
      remember(challenge) { $0.certificate = certificate }
    case (.serverTrust, .trust):
      guard let key = challenge.serverKey else { return refusedTrust(challenge, failure) }
      remember(challenge) { $0.trustedKeys.insert(key) }
    // A response of another kind counts as no response.
    case (.serverTrust, _):
      guard trustBySystem(challenge) else { return refusedTrust(challenge, failure) }
    case (.clientCertificate, _): return .failed(failure)
    case (.delayedRequest, _): return .retried
    case (.basic, _), (.digest, _), (.ntlm, _), (.negotiate, _):
      status.challengePolicy = .takeReplyAsItStands
    }
    return .retried
  }

  /// Accepts a server that the system trusts. Returns false for any other challenge.
  mutating func trustBySystem(_ challenge: ServerChallenge) -> Bool {
    guard challenge.kind == .serverTrust, challenge.isTrustedBySystem,
      let key = challenge.serverKey
    else { return false }
    remember(challenge) { $0.trustedKeys.insert(key) }
    return true
  }

  private mutating func remember(
    _ challenge: ServerChallenge, _ change: (inout OriginCredential) -> Void
  ) {
    options.changeCredential(for: challenge.origin, change)
    status.answeredChallengeCount = challenge.failureCount.addingCapped(1)
  }

  private func refusedTrust(
    _ challenge: ServerChallenge, _ failure: TransferFailure
  ) -> ChallengeOutcome {
    if failure.code == .tlsRefused { return .failed(failure) }
    return .failed(TransferFailure(.tlsRefused, on: challenge.origin, detail: failure.detail))
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
