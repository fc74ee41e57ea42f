import CKettleCurl
import KettleEngine
import KettleModel
import KettleSystem

/// libcurl options for a request to an FTP or SFTP server.
extension CurlAttempt {
  /// Whether the connection begins with TLS, or must become encrypted before a login is sent.
  var usesTLS: Bool { url.scheme == .https || url.scheme == .ftps || requiresUpgrade }

  /// `ftp://` is not encrypted, unless the request names a certificate authority or the server
  /// demands it.
  var requiresUpgrade: Bool {
    url.scheme == .ftp && (hasOwnAuthority || file?.demandOfTLS != nil)
  }

  /// Returns the problem that makes the request impossible, before libcurl is involved.
  func fileServerProblem(_ request: AttemptRequest) -> TransferFailure? {
    guard file != nil else { return nil }
    func unusable(_ detail: String) -> TransferFailure {
      TransferFailure(.badURL, on: url.text, detail: detail)
    }
    if !Self.protocols.contains(url.scheme.rawValue) {
      return unusable("libcurl on this machine was built without \(url.scheme.family.name)")
    }
    if let content = request.content, !content.isPlainGET {
      return unusable("files can only be downloaded over \(url.scheme.family.name)")
    }
    // Also for URLs that come from elsewhere than the parser.
    if url.path.hasSuffix("/"), url.query == nil, !request.listsDirectory {
      return unusable("it is a directory, and only files can be downloaded")
    }
    guard let path = PercentEncoding.decoded((url.path + (url.query ?? "")).utf8),
      !path.contains(where: { $0 < 32 || $0 == 127 })
    else { return unusable("its path contains a control character") }
    if let proxy, proxy.speaksHTTP {
      return TransferFailure(
        .proxyFailed, on: url.hostAndPort,
        detail: "\(proxy.hostAndPort) is an HTTP proxy, and \(url.scheme.family.name) requires "
          + "a SOCKS proxy")
    }
    return nil
  }

  private static let protocols: Set<String> = {
    var names: Set<String> = []
    guard var next = kettle_protocols() else { return names }
    while let name = next.pointee {
      names.insert(String(cString: name))
      next = next.successor()
    }
    return names
  }()

  func setFileRequest(
    _ request: AttemptRequest, settings: CurlSettings, options: inout EasyOptions
  ) {
    guard let file else { return }
    // libcurl would read `;type=` anywhere in the path as a kind of transfer.
    var text = file.family == .ftp ? url.text.replacing(";type=", with: "%3Btype=") : url.text
    // libcurl recognizes a directory by the slash at its end.
    if request.listsDirectory, !text.hasSuffix("/") { text += "/" }
    options.set(CURLOPT_URL, text)
    options.set(CURLOPT_PATH_AS_IS, 1)
    options.check(kettle_easy_allow_only(easy, url.scheme.rawValue))
    options.set(CURLOPT_FILETIME, 1)
    setBeginning(&options)
    // Each connection belongs to one login, and an idle one would take a place from others.
    options.set(CURLOPT_FRESH_CONNECT, 1)
    options.set(CURLOPT_FORBID_REUSE, 1)
    options.set(CURLOPT_XFERINFODATA, Unmanaged.passUnretained(self).toOpaque())
    options.check(kettle_easy_set_progress_function(easy, Self.onWait))
    options.set(CURLOPT_NOPROGRESS, 0)
    if let login = request.login {
      options.set(CURLOPT_USERNAME, login.user)
      options.set(CURLOPT_PASSWORD, login.password)
    }
    switch file.family {
    case .http: break
    case .ftp:
      setNetrc(request, &options)
      setFTP(&options)
    case .sftp:
      options.set(CURLOPT_NETRC, kettle_netrc_ignored)
      setSFTP(login: request.login, settings.ssh, &options)
    }
  }

  /// Requests the file from the offset of the request.
  func setBeginning(_ options: inout EasyOptions) {
    guard let file, !file.listsDirectory else { return }
    switch file.family {
    case .http: break
    case .ftp: setCommandsBeforeFile(from: file.request.offset, &options)
    case .sftp:
      options.check(
        kettle_easy_set_off(easy, CURLOPT_RESUME_FROM_LARGE, curl_off_t(file.request.offset)))
    }
  }

  /// Lets libcurl read until the server closes the data connection. When libcurl asks for the size,
  /// it reads only so many bytes and does not notice that there are more. So the size is asked for
  /// here. A server may refuse that, but not an offset.
  private func setCommandsBeforeFile(from offset: Int64, _ options: inout EasyOptions) {
    options.set(CURLOPT_IGNORE_CONTENT_LENGTH, 1)
    curl_slist_free_all(commandList)
    commandList = curl_slist_append(nil, Self.sizeCommand(for: url))
    if offset > 0 { append("REST \(offset)", to: &commandList) }
    options.check(kettle_easy_set_list(easy, CURLOPT_PREQUOTE, commandList))
  }

  /// The name as libcurl sends it with RETR, after it has changed to the directory. The asterisk
  /// permits a refusal (CURLOPT_QUOTE(3)).
  private static func sizeCommand(for url: TransferURL) -> [CChar] {
    let path = PercentEncoding.decodedLeniently((url.path + (url.query ?? "")).utf8)
    let name = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? []
    return (Array("*SIZE ".utf8) + name + [0]).map(CChar.init(bitPattern:))
  }

  /// Passive mode only, and the data connection leads to the host of the control connection,
  /// whatever address the server names. Without a login libcurl is anonymous.
  private func setFTP(_ options: inout EasyOptions) {
    options.set(CURLOPT_FTP_SKIP_PASV_IP, 1)
    options.set(CURLOPT_FTP_USE_EPRT, 0)
    if usesTLS { options.set(CURLOPT_USE_SSL, kettle_tls_required) }
  }

  /// A password replaces the keys only if the server does not accept them.
  private func setSFTP(login: Login?, _ ssh: SSHSettings, _ options: inout EasyOptions) {
    if login == nil { options.set(CURLOPT_USERNAME, ssh.user) }
    let hasPassword = file?.hasPassword == true
    options.set(
      CURLOPT_SSH_AUTH_TYPES,
      hasPassword ? kettle_ssh_with_keys | kettle_ssh_with_password : kettle_ssh_with_keys)
    // Without a name libcurl would also look for keys in the current directory.
    options.set(CURLOPT_SSH_PRIVATE_KEYFILE, ssh.keyFiles.first ?? "")
    // Even with a file that does not exist libcurl asks about the key.
    options.set(CURLOPT_SSH_KNOWNHOSTS, ssh.knownHostsPath ?? "/dev/null")
    options.set(CURLOPT_SSH_KEYDATA, Unmanaged.passUnretained(self).toOpaque())
    options.check(kettle_easy_set_ssh_key_function(easy, Self.onHostKey))
  }
}

// MARK: - Beginning again

extension CurlAttempt {
  /// Prepares the handle for another try in the same attempt, and returns whether there is one. The
  /// handle may still be part of the multi handle.
  func beginsAgain(after code: CURLcode) -> Bool {
    switch phase {
    case .connecting, .awaitingHead: break
    case .headReported, .bodyHeld, .receiving, .blocked, .throttled, .decided: return false
    }
    // Read before `file` is changed, because it depends on `file`.
    let isPlain = !usesTLS
    guard let beginning = file?.beginAgain(after: code, isPlain: isPlain) else { return false }
    var options = EasyOptions(easy: easy)
    switch beginning {
    case .atStart: setBeginning(&options)
    case .withKey(let path): options.set(CURLOPT_SSH_PRIVATE_KEYFILE, path)
    case .encrypted:
      options.set(CURLOPT_USE_SSL, kettle_tls_required)
      setVerification(&options)
    }
    phase = .connecting
    return options.code == CURLE_OK
  }
}

// MARK: - Callbacks

extension CurlAttempt {
  static let onHostKey: curl_sshkeycallback = { _, _, found, match, context in
    guard let attempt = CurlAttempt.of(context: context), let found else {
      return kettle_ssh_key_refused
    }
    let isAccepted = attempt.accepts(HostKey(found.pointee), match)
    return isAccepted ? kettle_ssh_key_fine : kettle_ssh_key_refused
  }

  private func accepts(_ key: HostKey?, _ match: curl_khmatch) -> Bool {
    loop.assertIsOnThread()
    file?.judge(key, match: match)
    return file?.hostKey == .accepted
  }

  /// Ends a wait of libcurl that would hold up all other transfers on this thread.
  static let onWait: curl_xferinfo_callback = { context, _, _, _, _ in
    guard let attempt = CurlAttempt.of(context: context) else { return 1 }
    return attempt.file?.waitsTooLong(inTurn: attempt.loop.turnCount, at: .now()) == true ? 1 : 0
  }

  /// Returns whether the exchange continues.
  func receiveReplyLine(_ line: UnsafeRawBufferPointer) -> Bool {
    if case .awaitingHead = phase { phase = .awaitingHead(silentSince: loop.now) }
    switch file?.replies.read(line) {
    case .more, nil: return true
    case .broken(let problem): return giveUp(problem)
    }
  }

  /// The head of the body whose first bytes have arrived or, where it is empty, whose end has. nil
  /// if it is not known which part of the file it is.
  func bodyHead(isEmpty: Bool) -> ResponseHead? {
    guard let file else { return nil }
    var modified: curl_off_t = -1
    kettle_easy_get_off(easy, CURLINFO_FILETIME_T, &modified)
    // Some servers say 0 for every file.
    var known = announcedByteCount(of: file).flatMap { $0 > 0 ? $0 : nil }
    if isEmpty, known == nil { known = 0 }
    return FileHead.body(of: file.request, left: known, modified: Int64(modified))
  }

  /// How many bytes follow the offset, as the server has said; nil if it has not.
  private func announcedByteCount(of file: FileExchange) -> Int64? {
    switch file.family {
    case .http: return nil
    case _ where file.listsDirectory: return nil
    case .ftp:
      let offset = file.request.offset
      guard offset > 0 else { return file.replies.size ?? file.replies.openingSize }
      // The number in the reply to RETR may be that of the whole file or of the rest.
      guard file.replies.hasRestarted, let size = file.replies.size else { return nil }
      return max(size - offset, 0)
    case .sftp:
      var left: curl_off_t = -1
      kettle_easy_get_off(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &left)
      return Int64(left)
    }
  }

  /// Reports the head before the first bytes of the body.
  func holdFirstBytes() -> PieceResult {
    guard let head = bodyHead(isEmpty: false) else {
      file?.refuseResumption()
      return .ended
    }
    firstHeadByteAt = firstHeadByteAt ?? loop.now
    guard report(head) else { return .ended }
    phase = .bodyHeld
    return .paused
  }

  /// Ends a part where the rest of the file is not wanted, and finds a body that is longer than
  /// announced. Over FTP, libcurl reads until the server closes the data connection.
  func deliverOfFile(_ piece: UnsafeRawBufferPointer, to sink: any ByteSink) -> PieceResult {
    guard case .byteCount(let announced) = bodyEnd else { return deliver(piece, to: sink) }
    let left = announced - deliveredByteCount
    guard file?.isPart == true else {
      guard Int64(piece.count - processedOfPiece) <= left else { return endOfLongBody() }
      return deliver(piece, to: sink)
    }
    let wanted = processedOfPiece + Int(min(left, Int64(piece.count - processedOfPiece)))
    let result = deliver(UnsafeRawBufferPointer(rebasing: piece.prefix(wanted)), to: sink)
    guard isWhole else { return result }
    if case .decided = phase { return .ended }
    phase = .decided(.complete)
    return .ended
  }

  /// Whether all announced bytes have arrived, and the server has not closed the data connection:
  /// whatever else it sends shows that it has ignored the offset, or was wrong about the size.
  var awaitsEndOfFile: Bool {
    guard let file, file.family == .ftp, !file.isPart, case .receiving = phase else { return false }
    return isWhole
  }

  /// The size was wrong, or the server has ignored the offset: then nothing of this is the file.
  func endOfLongBody() -> PieceResult {
    phase = .decided(.failed(longBody(nil)))
    return .ended
  }

  func longBody(_ words: String?) -> TransferFailure {
    let said = words.map { ": " + $0 } ?? ""
    return TransferFailure(
      .tooLong, on: url.hostAndPort,
      detail: "not all was read after \(deliveredByteCount) bytes" + said)
  }
}
