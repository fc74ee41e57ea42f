import CKettleCurl
import Glibc
import KettleEngine
import KettleModel
import KettleSystem

/// The progress of our own verification of a server.
enum ServerJudgement {
  /// Nothing is sent in this state.
  case pending
  case accepted
  case refused(ServerIdentity)
}

// MARK: - Options

extension CurlAttempt {
  func setVerification(_ options: inout EasyOptions) {
    guard case .byKeys = verification, usesTLS else { return }
    // The host name matters only when the system decides, and then we check it ourselves.
    options.set(CURLOPT_SSL_VERIFYHOST, 0)
    let context = Unmanaged.passUnretained(self).toOpaque()
    options.set(CURLOPT_SSL_CTX_DATA, context)
    options.check(kettle_easy_set_tls_function(easy, Self.onTLSContext))
    avoidSharing(&options)
    guard proxy?.scheme == .https else { return }
    // libcurl also creates a context for the proxy and does not tell which is which. So the proxy's
    // context gets a maximum version, the newest one that exists.
    options.set(CURLOPT_PROXY_SSLVERSION, kettle_tls_1_2_or_newer | kettle_tls_1_3_at_most)
  }

  /// Keeps a connection that was verified by its own rules from being shared, and its TLS session
  /// too: a resumed session would bring no certificates to verify. Newer releases of libcurl share
  /// sessions among all handles.
  private func avoidSharing(_ options: inout EasyOptions) {
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
    // Without a password OpenSSL would ask on the terminal and wait.
    options.set(CURLOPT_KEYPASSWD, certificate.password ?? "")
    avoidSharing(&options)
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

  /// SSL_CTX_set_cert_verify_callback(3): 1 continues the handshake, 0 ends it.
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
      // libcurl checks it again after the handshake.
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

  /// Whether a request may be sent to a server that we verify ourselves.
  var isServerAccepted: Bool {
    if url.scheme == .sftp { return file?.hostKey == .accepted }
    guard case .byKeys = verification, usesTLS else { return true }
    if case .accepted = judgement { return true } else { return false }
  }
}

// MARK: - Ends

extension CurlAttempt {
  /// Returns how the attempt ended with this code before any head.
  func endBeforeHead(_ code: CURLcode) -> AttemptEnd {
    let failure = failure(for: code)
    if failure.isOfTheProxy { return .failed(failure) }
    if case .refused(let identity) = judgement {
      return .untrusted(refusal(of: identity), challenge(by: identity))
    }
    if handshake.isCertificateRejected {
      return .certificateWanted(
        TransferFailure(
          .clientCertificateNeeded, on: url.hostAndPort,
          detail: certificate == nil ? nil : "it rejected the one that was sent"))
    }
    return .failed(failure)
  }

  private func refusal(of identity: ServerIdentity) -> TransferFailure {
    let detail =
      identity.isTrustedBySystem
      ? "its certificate has not been approved yet"
      : X509_verify_cert_error_string(Int(identity.systemError)).map { String(cString: $0) }
    var failure = TransferFailure(.tlsRefused, on: url.hostAndPort, detail: detail)
    failure.certificate = identity.certificate(of: url.origin)
    return failure
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

extension ClientCertificate {
  /// Why the certificate cannot be used; nil when its files can be read.
  ///
  /// Checked before libcurl reads them: libcurl would wait forever for a pipe, and block all
  /// attempts.
  var fileProblem: TransferFailure? {
    Self.problem(of: certificatePath) ?? Self.problem(of: keyPath)
  }

  private static func problem(of path: String) -> TransferFailure? {
    let detail: String
    switch FileContents.obstacle(path: path, byteCountMax: TrustedCertificates.fileByteCountMax) {
    case nil: return nil
    case .missing: detail = SystemError(ENOENT).message
    case .unusable(let words): detail = words
    }
    return TransferFailure(.certificateFileUnusable, on: path, detail: detail)
  }

  /// Returns the failure for files that libcurl cannot use: only its text tells which file it means
  /// (lib/vtls/openssl.c).
  func failure(saying text: String) -> TransferFailure {
    guard text.contains("private key") else {
      return TransferFailure(.certificateFileUnusable, on: certificatePath)
    }
    return TransferFailure(
      .certificateFileUnusable, on: keyPath,
      detail: "its password or its certificate may not match")
  }
}
