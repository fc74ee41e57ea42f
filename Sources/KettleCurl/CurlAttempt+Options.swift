import CKettleCurl
import KettleEngine
import KettleModel
import KettleSystem

extension CurlAttempt {
  /// Creates an easy handle that requests exactly what `request` specifies.
  static func make(
    _ request: AttemptRequest, settings: CurlSettings, loop: CurlLoop
  ) -> Result<CurlAttempt, TransferFailure> {
    let host = request.url.hostAndPort
    // A line break in a header would be a second header, so check again where it is sent.
    guard request.headers.allSatisfy({ HeaderField(name: $0.name, value: $0.value) == $0 }) else {
      return .failure(
        TransferFailure(.internalProblem, on: host, detail: "a header cannot be sent"))
    }
    guard let easy = curl_easy_init() else {
      return .failure(
        TransferFailure(.internalProblem, on: host, detail: "libcurl is out of memory"))
    }
    let certificates =
      request.caCertificatePath.map { TrustedCertificates(file: $0, directory: nil) }
      ?? settings.certificates
    let attempt = CurlAttempt(
      request, easy: easy, certificates: certificates, knownScopes: settings.knownScopes,
      loop: loop)
    let rules = settings.proxies.adapted(to: request.proxy)
    switch rules.route(to: request.url.origin) {
    case .direct: break
    case .through(let proxy):
      attempt.proxy = proxy
      // The proxy chooses among the addresses of the host.
      attempt.addresses.settle()
    case .unusable(let source):
      return .failure(
        TransferFailure(
          .proxyFailed, on: host, detail: "the value of \(source) is not the address of a proxy"))
    }
    attempt.file = FileExchange(request, settings)
    if let failure = attempt.prepare(request) { return .failure(failure) }
    let code = attempt.configure(request, settings)
    return code == CURLE_OK ? .success(attempt) : .failure(attempt.failure(for: code))
  }

  /// Returns the problem that makes the request impossible, before libcurl is involved.
  private func prepare(_ request: AttemptRequest) -> TransferFailure? {
    if let problem = proxiedHostProblem ?? fileServerProblem(request) { return problem }
    if usesTLS, case .impossible(let reason) = verification {
      return TransferFailure(.tlsRefused, on: url.hostAndPort, detail: reason)
    }
    if usesTLS || proxy?.scheme == .https, let problem = certificates.fileProblem { return problem }
    if url.scheme == .https, let problem = certificate?.fileProblem { return problem }
    guard let content = request.content, !content.isPlainGET else { return nil }
    if let problem = content.problem {
      return TransferFailure(.internalProblem, on: url.hostAndPort, detail: problem)
    }
    switch content.sentBody.map({ UploadBody.open($0, content.rest) }) {
    case .failure(let failure): return failure
    case .success(let body): upload = Upload(body)
    case nil: break
    }
    return nil
  }

  private func configure(_ request: AttemptRequest, _ settings: CurlSettings) -> CURLcode {
    var options = EasyOptions(easy: easy)
    setCallbacks(&options)
    if file == nil {
      setRequest(request, settings: settings, options: &options)
      setLogin(request, &options)
    } else {
      setFileRequest(request, settings: settings, options: &options)
    }
    setTrust(request, &options)
    setConnection(request, settings: settings, options: &options)
    setProxy(settings, &options)
    setReach(&options)
    setVerification(&options)
    if let certificate { setCertificate(certificate, &options) }
    if let content = request.content, !content.isPlainGET { setContent(content, &options) }
    return options.code
  }

  private func setCallbacks(_ options: inout EasyOptions) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    options.set(CURLOPT_PRIVATE, context)
    options.set(CURLOPT_WRITEDATA, context)
    options.set(CURLOPT_HEADERDATA, context)
    options.set(CURLOPT_PREREQDATA, context)
    options.set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(errorText))
    options.set(CURLOPT_WRITEFUNCTION, Self.onBody)
    options.set(CURLOPT_HEADERFUNCTION, Self.onHeaderLine)
    options.check(kettle_easy_set_prereq_function(easy, Self.onRequestReady))
    if url.scheme == .https {
      options.set(CURLOPT_DEBUGDATA, context)
      options.check(kettle_easy_set_debug_function(easy, Self.onTrace))
      options.set(CURLOPT_VERBOSE, 1)
    }
  }

  private func setRequest(
    _ request: AttemptRequest, settings: CurlSettings, options: inout EasyOptions
  ) {
    options.set(CURLOPT_URL, request.url.text)
    // The URL is requested exactly as shown and stored, `..` included.
    options.set(CURLOPT_PATH_AS_IS, 1)
    options.check(kettle_easy_allow_http_only(easy))
    options.set(CURLOPT_FOLLOWLOCATION, 0)
    setVersion(request.version, &options)
    options.set(CURLOPT_HTTP09_ALLOWED, 0)
    options.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    // libcurl then delivers chunks with their framing for `ChunkDecoder`. It still parses them to
    // find the end of the exchange.
    options.set(CURLOPT_HTTP_TRANSFER_DECODING, 0)
    options.set(CURLOPT_USERAGENT, settings.userAgent)
    for header in headersToSend(request.headers) {
      // `Name:` would remove the header; `Name;` sends it empty (CURLOPT_HTTPHEADER(3)).
      append(
        header.value.isEmpty ? header.name + ";" : "\(header.name): \(header.value)",
        to: &headerList)
    }
    if !request.headers.contains(where: { $0.name.lowercased() == "accept-encoding" }) {
      append("Accept-Encoding: identity", to: &headerList)
    }
    if let signing = request.login?.signing {
      // S3 requires it, and libcurl adds it in newer versions alone.
      if !request.headers.contains(where: { $0.name.lowercased() == Self.bodyDigestName }) {
        append("\(Self.bodyDigestName): \(Self.digestOfNothing)", to: &headerList)
      }
      if let token = signing.sessionToken {
        append("x-amz-security-token: " + token, to: &headerList)
      }
    }
    // Without the header, libcurl would sign its name all the same.
    if expectsContinue(request.headers) || upload != nil && request.login?.signing != nil {
      headReader.mayAnswer417 = true
    } else if upload != nil {
      append("Expect:", to: &headerList)
    }
    options.check(kettle_easy_set_list(easy, CURLOPT_HTTPHEADER, headerList))
  }

  private static let bodyDigestName = "x-amz-content-sha256"

  /// The SHA-256 of the body of a GET.
  private static let digestOfNothing =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  /// On HTTP/1.1, bytes arrive in plain reads, without frames and windows to account for, and two
  /// segments of a file on two connections are two streams to the network as well.
  private func setVersion(_ version: AttemptRequest.Version, _ options: inout EasyOptions) {
    switch version {
    case .http1: options.set(CURLOPT_HTTP_VERSION, kettle_http_1_1)
    case .http2IfOffered:
      let code = kettle_easy_set_long(easy, CURLOPT_HTTP_VERSION, kettle_http_2_over_tls)
      // A libcurl without HTTP/2.
      if code != CURLE_OK { return options.set(CURLOPT_HTTP_VERSION, kettle_http_1_1) }
      // Waits for a connection that is being established, instead of opening another one.
      options.set(CURLOPT_PIPEWAIT, 1)
    }
  }

  func append(_ line: String, to list: inout UnsafeMutablePointer<curl_slist>?) {
    // nil only when out of memory; the previous list stays unchanged.
    if let longer = curl_slist_append(list, line) { list = longer }
  }

  private func setTrust(_ request: AttemptRequest, _ options: inout EasyOptions) {
    options.set(CURLOPT_SSL_VERIFYPEER, 1)
    options.set(CURLOPT_SSL_VERIFYHOST, 2)
    options.set(CURLOPT_SSLVERSION, kettle_tls_1_2_or_newer)
    // Set both, even to nil: a file given for one transfer is all that it trusts.
    options.set(CURLOPT_CAINFO, certificates.file)
    options.set(CURLOPT_CAPATH, certificates.directory)
  }

  /// libcurl reads the file for each connection, on the thread of all attempts: it would wait for
  /// the writer of a pipe, and read a device without end.
  func setNetrc(_ request: AttemptRequest, _ options: inout EasyOptions) {
    options.set(CURLOPT_NETRC, kettle_netrc_ignored)
    guard let path = request.netrcPath else { return }
    switch FileContents.obstacle(path: path, byteCountMax: Self.netrcByteCountMax) {
    case nil:
      options.set(CURLOPT_NETRC, kettle_netrc_optional)
      options.set(CURLOPT_NETRC_FILE, path)
    case .missing: break
    case .unusable(let detail): netrcProblem = "the logins in \(path) were not read: \(detail)"
    }
  }

  private static let netrcByteCountMax = 1 << 20

  private func setLogin(_ request: AttemptRequest, _ options: inout EasyOptions) {
    setNetrc(request, &options)
    // Not NTLM, whose login is one of the connection, which others may use.
    if request.netrcPath != nil {
      options.set(CURLOPT_HTTPAUTH, kettle_auth_basic | kettle_auth_digest)
    }
    if let login = request.login {
      options.set(CURLOPT_USERNAME, login.user)
      options.set(CURLOPT_PASSWORD, login.password)
      if let signing = login.signing {
        // Sets the scheme too.
        options.set(CURLOPT_AWS_SIGV4, "aws:amz:\(signing.region):s3")
      } else {
        options.set(CURLOPT_HTTPAUTH, Self.schemes(for: login, known: request.loginScheme))
      }
    }
    // A signature is part of one request and says nothing about its connection.
    if request.login.map({ $0.signing == nil }) ?? false || request.caCertificatePath != nil {
      // Wrong connection reuse is the largest class of libcurl's advisories. So a connection opened
      // with a login or its own authority is not shared. libcurl itself keeps it for the rounds of
      // NTLM and Negotiate.
      options.set(CURLOPT_FRESH_CONNECT, 1)
      options.set(CURLOPT_FORBID_REUSE, 1)
    }
  }

  /// Negotiate uses the ticket of the logged-in user and never the password, and libcurl prefers it
  /// wherever it is offered. With a password it would prevent Basic, Digest and NTLM from working.
  ///
  /// With a single scheme libcurl does not wait for a challenge: Basic is sent with the first
  /// request, and Digest and NTLM begin with a request with an empty body (CURLOPT_HTTPAUTH(3)).
  private static func schemes(for login: Login, known: ServerChallenge.Kind? = nil) -> Int {
    switch known {
    case .basic: return kettle_auth_basic
    case .digest: return kettle_auth_digest
    case .ntlm: return kettle_auth_ntlm
    case .negotiate, .serverTrust, .clientCertificate, .delayedRequest, nil: break
    }
    let withPassword = kettle_auth_basic | kettle_auth_digest | kettle_auth_ntlm
    return login.password.isEmpty ? withPassword | kettle_auth_negotiate : withPassword
  }

  private func setConnection(
    _ request: AttemptRequest, settings: CurlSettings, options: inout EasyOptions
  ) {
    // No signals: the timeout of a name lookup would use SIGALRM, for the whole process.
    options.set(CURLOPT_NOSIGNAL, 1)
    options.set(CURLOPT_BUFFERSIZE, Int(bufferByteCount))
    let connect = Int32(clamping: max(request.timeouts.connectMilliseconds, 1))
    options.set(CURLOPT_CONNECTTIMEOUT_MS, Int(connect))
    switch request.reuse {
    case .permitted: break
    case .none: options.set(CURLOPT_FRESH_CONNECT, 1)
    }
    if file == nil { options.check(kettle_easy_set_socket_function(easy, Self.onSocket)) }
    options.set(CURLOPT_TCP_KEEPALIVE, 1)
    // Many routers forget a connection after a minute of silence.
    options.set(CURLOPT_TCP_KEEPIDLE, 45)
    options.set(CURLOPT_TCP_KEEPINTVL, 15)
    // Without it, cancelling during a name lookup waits for the lookup and blocks all attempts. The
    // abandoned thread cleans up after itself, except in the last moments of a process.
    options.check(kettle_easy_leave_lookups_behind(easy))
    for address in settings.knownAddresses { append(address, to: &addressList) }
    options.check(kettle_easy_set_list(easy, CURLOPT_RESOLVE, addressList))
  }

  /// Always sets both texts: without them libcurl would read the environment.
  private func setProxy(_ settings: CurlSettings, _ options: inout EasyOptions) {
    options.set(CURLOPT_PROXY, proxy?.address ?? "")
    options.set(CURLOPT_NOPROXY, "")
    guard let proxy else { return }
    // A proxy's reply to CONNECT is not a head from the server, and headers for the server must not
    // reach the proxy.
    options.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    options.set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    options.set(CURLOPT_PROXY_CAINFO, settings.certificates.file)
    options.set(CURLOPT_PROXY_CAPATH, settings.certificates.directory)
    options.set(CURLOPT_PROXY_SSLVERSION, kettle_tls_1_2_or_newer)
    guard let login = proxy.login else { return }
    options.set(CURLOPT_PROXYUSERNAME, login.user)
    options.set(CURLOPT_PROXYPASSWORD, login.password)
    options.set(CURLOPT_PROXYAUTH, Self.schemes(for: login))
    options.set(CURLOPT_SOCKS5_AUTH, kettle_auth_basic)
  }
}
