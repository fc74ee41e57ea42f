import Foundation
import FoundationNetworking
import KettleControl
import KettleModel
import KettleSystem

/// Challenges, from the service to a delegate and back.
extension SessionCore {
  /// Calls the method that Apple's documentation names for the kind of challenge. Challenges about
  /// a connection go to the session's method, or to the task's if that is not implemented. All
  /// others go to the task's. Of each pair, the method with a handler is tried before the `async`
  /// one.
  func deliver(
    _ challenge: ServerChallenge, of task: URLSessionTask, in session: URLSession,
    to delegates: [any URLSessionDelegate]
  ) {
    let number = task.handle.number
    let delivery = ChallengeDelivery(
      delegates: delegates, session: session, task: task,
      challenge: URLAuthenticationChallenge(
        protectionSpace: challenge.protectionSpace, proposedCredential: nil,
        previousFailureCount: challenge.failureCount, failureResponse: task.response, error: nil,
        sender: ChallengeMarker()),
      isOfConnection: challenge.kind.isOfConnection)
    Task(executorPreference: executor) { [self] in
      let isAnswered = await delivery.callDelegate { [self] disposition, credential in
        feed(.answer(number, challenge, ChallengeAnswer(disposition, credential, to: challenge)))
      }
      if challenge.kind == .serverTrust { detected(isAnswered ? .asks : .never) }
      guard !isAnswered else { return }
      feed(.answer(number, challenge, .standard))
    }
  }

  /// Records whether the delegate handles server trust challenges, and tells the service if that is
  /// new.
  private func detected(_ opinion: State.ServerTrust) {
    let isNews = state.withLock { state in
      guard state.serverTrust == .detects else { return false }
      state.serverTrust = opinion
      return true
    }
    if isNews { feed(.options(options)) }
  }
}

extension ServerChallenge.Kind {
  /// Whether the challenge goes to the session's method (Apple's documentation of
  /// `urlSession(_:didReceive:completionHandler:)`).
  var isOfConnection: Bool {
    switch self {
    case .ntlm, .negotiate, .serverTrust, .clientCertificate: true
    case .basic, .digest, .delayedRequest: false
    }
  }

  var authenticationMethod: String {
    switch self {
    case .basic: NSURLAuthenticationMethodHTTPBasic
    case .digest: NSURLAuthenticationMethodHTTPDigest
    case .ntlm: NSURLAuthenticationMethodNTLM
    case .negotiate: NSURLAuthenticationMethodNegotiate
    case .serverTrust: NSURLAuthenticationMethodServerTrust
    case .clientCertificate: NSURLAuthenticationMethodClientCertificate
    // It is no challenge of a server and does not get here.
    case .delayedRequest: NSURLAuthenticationMethodDefault
    }
  }
}

extension ServerChallenge {
  var protectionSpace: URLProtectionSpace {
    let url = URL(string: origin)
    let scheme = url?.scheme ?? "https"
    let host = url?.host ?? origin
    let port = url?.port ?? (scheme == "http" ? 80 : 443)
    guard kind == .serverTrust else {
      return URLProtectionSpace(
        host: host, port: port, protocol: scheme, realm: realm,
        authenticationMethod: kind.authenticationMethod)
    }
    let trust = SecTrust(
      certificates: certificates.map { Data($0.bytes) }, serverKeyDigest: serverKey ?? "",
      isTrustedBySystem: isTrustedBySystem)
    return ServerTrustSpace(host: host, port: port, protocol: scheme, trust: trust)
  }
}

extension ChallengeAnswer {
  init(
    _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?,
    to challenge: ServerChallenge
  ) {
    switch disposition {
    case .performDefaultHandling, .rejectProtectionSpace: self = .standard
    case .cancelAuthenticationChallenge: self = .cancel
    case .useCredential:
      self = credential.map { Self.answer($0, to: challenge) } ?? .standard
    }
  }

  /// Converts a credential. One of the wrong kind for this challenge counts as none.
  private static func answer(
    _ credential: URLCredential, to challenge: ServerChallenge
  ) -> ChallengeAnswer {
    switch (challenge.kind, SpecialCredential(credential)) {
    case (.serverTrust, .trust(let digest)?):
      // Trust in certificates other than those presented is not trust in this server.
      return digest == challenge.serverKey ? .trust : .cancel
    case (.clientCertificate, .identity(let certificate)?): return .certificate(certificate)
    case (.basic, nil), (.digest, nil), (.ntlm, nil), (.negotiate, nil):
      guard let user = credential.user else { return .standard }
      return .login(Login(user: user, password: credential.password ?? ""))
    case (.serverTrust, .identity?), (.serverTrust, nil), (.clientCertificate, .trust?),
      (.clientCertificate, nil), (.basic, _?), (.digest, _?), (.ntlm, _?), (.negotiate, _?),
      (.delayedRequest, _):
      return .standard
    }
  }
}
