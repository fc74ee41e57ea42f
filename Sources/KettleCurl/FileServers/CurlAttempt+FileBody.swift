import CKettleCurl
import KettleEngine
import KettleModel
import KettleSystem

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
