import KettleTasks
import KettleControl
import Foundation
import FoundationNetworking
import KettleSystem
import KettleModel

/// Challenges, from the service to a delegate and back.
extension SessionCore {
  /// Asks the method that Apple's documentation names for the kind of challenge: those about a
  /// connection go to the session's, and to the task's when that is not implemented; the others go
  /// to the task's. Of each the one with a handler comes before the one to be waited for.
  func ask(_ inquiry: Inquiry) {
    Task(executorPreference: executor) { [self] in
      let isAnswered = await inquiry.ask { [self] answer in
        feed(.answer(inquiry.task.handle.number, inquiry.challenge, answer))
      }
      if inquiry.challenge.kind == .serverTrust { foundOut(isAnswered ? .asks : .never) }
      guard !isAnswered else { return }
      feed(.answer(inquiry.task.handle.number, inquiry.challenge, .standard))
    }
  }

  /// It turned out whether the delegate has an opinion about certificates.
  private func foundOut(_ opinion: State.ServerTrust) {
    let isNews = state.withLock { state in
      guard state.serverTrust == .findsOut else { return false }
      state.serverTrust = opinion
      return true
    }
    if isNews { feed(.options(options)) }
  }
}

/// Takes the first answer to a challenge; a handler that is called again does nothing.
final class AnswerOnce: Sendable {
  private let isGiven = Mutex(false)
  private let body: @Sendable (ChallengeAnswer) -> Void

  init(_ body: @escaping @Sendable (ChallengeAnswer) -> Void) { self.body = body }

  func give(_ answer: ChallengeAnswer) {
    let isFirst = isGiven.withLock { isGiven in
      defer { isGiven = true }
      return !isGiven
    }
    if isFirst { body(answer) }
  }
}

extension ServerChallenge.Kind {
  /// Whether it goes to the method of the session (Apple's documentation of
  /// `urlSession(_:didReceive:completionHandler:)`).
  var isOfConnection: Bool {
    switch self {
    case .ntlm, .negotiate, .serverTrust, .clientCertificate: true
    case .basic, .digest: false
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

  /// A credential that is none for this kind of challenge is as none.
  private static func answer(
    _ credential: URLCredential, to challenge: ServerChallenge
  ) -> ChallengeAnswer {
    switch (challenge.kind, SpecialCredential(credential)) {
    case (.serverTrust, .trust(let digest)?):
      // Trust in other certificates than those that were shown is trust in nobody.
      return digest == challenge.serverKey ? .trust : .cancel
    case (.clientCertificate, .identity(let certificate)?): return .certificate(certificate)
    case (.basic, nil), (.digest, nil), (.ntlm, nil), (.negotiate, nil):
      guard let user = credential.user else { return .standard }
      return .login(Login(user: user, password: credential.password ?? ""))
    case (.serverTrust, .identity?), (.serverTrust, nil), (.clientCertificate, .trust?),
      (.clientCertificate, nil), (.basic, _?), (.digest, _?), (.ntlm, _?), (.negotiate, _?):
      return .standard
    }
  }
}
