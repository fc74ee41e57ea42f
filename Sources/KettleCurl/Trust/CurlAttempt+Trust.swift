import CKettleCurl
import KettleEngine
import KettleModel

/// How far the judgement on a server has come, where it is ours.
enum ServerJudgement {
  /// Nothing goes out meanwhile.
  case pending
  case accepted
  case refused(ServerIdentity)
}

// MARK: - Options

extension CurlAttempt {
  func setVerification(_ options: inout EasyOptions) {
    guard case .byKeys = verification, url.scheme == .https else { return }
    // Whose name it is counts only where the system decides, and is then looked at by us.
    options.set(CURLOPT_SSL_VERIFYHOST, 0)
    let context = Unmanaged.passUnretained(self).toOpaque()
    options.set(CURLOPT_SSL_CTX_DATA, context)
    options.note(kettle_easy_set_tls_function(easy, Self.onTLSContext))
    keepToItself(&options)
    guard proxy?.scheme == .https else { return }
    // libcurl makes a context for the proxy too and tells nobody which is which; this one has a
    // newest version, which is the newest there is.
    options.set(CURLOPT_PROXY_SSLVERSION, kettle_tls_1_2_or_newer | kettle_tls_1_3_at_most)
  }

  /// What was agreed on by other rules than everybody's is used by nobody else: neither the
  /// connection nor its TLS session, with which no certificates would come to be judged. Newer
  /// releases of libcurl keep the sessions of all handles together.
  private func keepToItself(_ options: inout EasyOptions) {
    options.set(CURLOPT_FRESH_CONNECT, 1)
    options.set(CURLOPT_FORBID_REUSE, 1)
    options.set(CURLOPT_SSL_SESSIONID_CACHE, 0)
  }

  func setCertificate(_ certificate: ClientCertificate, _ options: inout EasyOptions) {
    guard url.scheme == .https else { return }
    options.set(CURLOPT_SSLCERTTYPE, "PEM")
    options.set(CURLOPT_SSLCERT, certificate.certificatePath)
    options.set(CURLOPT_SSLKEYTYPE, "PEM")
    options.set(CURLOPT_SSLKEY, certificate.keyPath)
    // Without one OpenSSL would ask on the terminal, and wait.
    options.set(CURLOPT_KEYPASSWD, certificate.password ?? "")
    keepToItself(&options)
  }
}

// MARK: - Callbacks

extension CurlAttempt {
  private static let onTLSContext: curl_ssl_ctx_callback = { _, tls, context in
    guard let tls, let context else { return CURLE_ABORTED_BY_CALLBACK }
    let tlsContext = OpaquePointer(tls)
    let isOfProxy = kettle_tls_newest_version(tlsContext) == kettle_tls_1_3
    if !isOfProxy { SSL_CTX_set_cert_verify_callback(tlsContext, onCertificates, context) }
    return CURLE_OK
  }

  /// SSL_CTX_set_cert_verify_callback(3): 1 lets the handshake go on, 0 ends it.
  private static let onCertificates:
    @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { verification, context in
      guard let verification, let attempt = CurlAttempt.of(context: context) else { return 0 }
      return attempt.accepts(verification) ? 1 : 0
    }

  private func accepts(_ verification: OpaquePointer) -> Bool {
    loop.assertIsOnThread()
    guard case .byKeys(let keys, let asksForOthers) = self.verification,
      let identity = ServerIdentity(verification, host: url.host)
    else { return false }
    let isNamed = identity.key.map(keys.contains) ?? false
    if isNamed || (identity.isTrustedBySystem && !asksForOthers) {
      // libcurl looks at it again after the handshake.
      X509_STORE_CTX_set_error(verification, X509_V_OK)
      judgement = .accepted
      return true
    }
    X509_STORE_CTX_set_error(
      verification,
      identity.isTrustedBySystem ? X509_V_ERR_APPLICATION_VERIFICATION : identity.systemError)
    judgement = .refused(identity)
    return false
  }

  /// Whether nothing is in the way of sending to a server that we judge.
  var isServerAccepted: Bool {
    guard case .byKeys = verification, url.scheme == .https else { return true }
    if case .accepted = judgement { return true } else { return false }
  }
}

// MARK: - Ends

extension CurlAttempt {
  /// How it ended with this code before any head came.
  func endBeforeHead(_ code: CURLcode) -> AttemptEnd {
    let failure = failure(for: code)
    if failure.code == .proxyFailed { return .failed(failure) }
    if case .refused(let identity) = judgement {
      return .untrusted(refusal(of: identity), challenge(by: identity))
    }
    if talk.isCertificateMissed {
      return .certificateWanted(
        TransferFailure(
          .clientCertificateNeeded, on: url.hostAndPort,
          detail: certificate == nil ? nil : "it refuses the one it was shown"))
    }
    return .failed(failure)
  }

  private func refusal(of identity: ServerIdentity) -> TransferFailure {
    let detail =
      identity.isTrustedBySystem
      ? "its certificate was not approved yet"
      : X509_verify_cert_error_string(Int(identity.systemError)).map { String(cString: $0) }
    return TransferFailure(.tlsRefused, on: url.hostAndPort, detail: detail)
  }

  private func challenge(by identity: ServerIdentity) -> ServerChallenge {
    var challenge = ServerChallenge(
      kind: .serverTrust, origin: url.origin.text, failureCount: 0)
    challenge.certificates = identity.certificates
    challenge.serverKey = identity.key
    challenge.isTrustedBySystem = identity.isTrustedBySystem
    return challenge
  }
}
