import KettleModel

/// Replies other than the file that a plain GET requests.
extension ResponseClassifier {
  /// Which statuses have a body that is accepted.
  package enum Acceptance: Sendable, Hashable {
    /// 200 and 203, and 206 for a range: the user wants the file or nothing.
    case file
    /// Every success status; any other ends the transfer.
    case success
    /// Every final status: a program inspects it and decides, as with `URLSession`. With durable
    /// bytes, a temporary error does not end the transfer that they belong to.
    case any
  }

  /// nil when the general rules apply to the reply.
  func classifyAccepted(_ head: ResponseHead, at now: Moment) -> Classification? {
    guard acceptance != .file else { return nil }
    switch head.status {
    case ..<200: return nil
    case 200, 203: return standsAsItIs(head) ? classifyAsItStands(head) : nil
    // Ranges are only ever requested by a plain GET.
    case 206: return content == nil ? nil : classifySuccess(head)
    case 200..<300: return classifySuccess(head)
    case 301, 302, 303, 307, 308:
      return head.values(of: "Location").isEmpty ? classifyFinal(head) : nil
    case 401, 407: return isAskedForLogin(head) ? nil : classifyFinal(head)
    case 416 where requested != nil: return nil
    default: return classifyRefusalAccepted(head, at: now)
    }
  }

  private func classifyRefusalAccepted(_ head: ResponseHead, at now: Moment) -> Classification? {
    let hasRetryAfter = RetryAfter(head, at: now) != nil
    switch StatusMeaning(status: head.status, hasRetryAfter: hasRetryAfter) {
    case .passing, .host, .network:
      return acceptance == .any && !hasDurableBytes ? classifyAsItStands(head) : nil
    case .final where acceptance == .success && hasDurableBytes: return nil
    case .final, .user: return classifyFinal(head)
    }
  }

  private func classifySuccess(_ head: ResponseHead) -> Classification {
    standsAsItIs(head) ? classifyAsItStands(head) : classifyWhole(head)
  }

  /// The verdict on a status that another attempt would not change.
  private func classifyFinal(_ head: ResponseHead) -> Classification {
    acceptance == .any ? classifyAsItStands(head) : .fail(statusFailure(head))
  }

  /// The body is the page that came with the status. It is the file for the program but no part of
  /// the requested file, so nothing is compared and no validator is kept.
  private func classifyAsItStands(_ head: ResponseHead) -> Classification {
    let facts = FileFacts(
      total: bodyByteCount(head), mediaType: head.mediaType, contentCoding: contentCoding(head))
    guard resumeData != nil else { return .acceptWhole(Whole(facts: facts, use: .new)) }
    if case .fresh(let reason) = mode {
      return .acceptWhole(Whole(facts: facts, use: .instead(because: reason)))
    }
    let use: Whole.Use = hasDurableBytes ? .instead(because: .resourceChanged) : .new
    return .acceptWhole(Whole(facts: facts, use: use))
  }

  /// Whether the status stands whatever the body is: a request that is not idempotent has already
  /// taken effect, even if the server encodes the body against the request or calls it a part.
  private func standsAsItIs(_ head: ResponseHead) -> Bool {
    acceptance == .any && content != nil
      && (head.contentCoding != nil || !head.values(of: "Content-Range").isEmpty)
  }

  /// A 401 that names no scheme is only a page (RFC 9110, section 15.5.2, forbids it).
  private func isAskedForLogin(_ head: ResponseHead) -> Bool {
    guard challengePolicy == .ask else { return false }
    let name = head.status == 401 ? "WWW-Authenticate" : "Proxy-Authenticate"
    return !head.values(of: name).isEmpty
  }

  /// Replies to HEAD, 204 and 304 end with their head, whatever length they announce (RFC 9112,
  /// section 6.3).
  func bodyByteCount(_ head: ResponseHead) -> Int64? {
    if content?.method == "HEAD" || head.status == 204 || head.status == 304 { return 0 }
    return head.bodyByteCount
  }
}

/// Replies that contradict themselves or earlier replies for the same version. They are not
/// trusted: durable bytes stay, and the request is retried.
extension ResponseClassifier {
  /// Returns the verdict on a reply that declares its body as the whole file and as a part; nil for
  /// any other. `Content-Range` has no meaning outside 206 and 416 (RFC 9110, section 14.4), so one
  /// that says nothing else than the length of the body does no harm.
  func classifyPartAsWhole(_ head: ResponseHead) -> Classification? {
    let values = head.values(of: "Content-Range")
    guard let text = values.first else { return nil }
    if values.count == 1, let length = head.bodyByteCount,
      ContentRange(text)?.isWhole(ofByteCount: length) == true
    {
      return nil
    }
    let shown = text.sanitizedForDisplay(limit: 60)
    return contradicted("\(head.status) with Content-Range: \(shown)")
  }

  /// Returns the verdict on a different length under the known strong validator; nil when the
  /// lengths agree or the validator does not decide.
  func classifyLength(_ facts: FileFacts) -> Classification? {
    guard let resumeData, let total = facts.total, known.isSurelySame(facts.validator) else {
      return nil
    }
    let isShorterThanHeld = total < resumeData.durable.upperBound
    let known =
      resumeData.totalByteCount ?? (isShorterThanHeld ? resumeData.durable.upperBound : nil)
    guard let known, known != total else { return nil }
    return contradicted("\(total) bytes in place of \(known) under the same validator")
  }

  /// Returns the verdict on a body that is called the whole file but may be only a part; nil when
  /// its length is the known one, or validators show that it is another version.
  ///
  /// Some servers and caches send the requested part with status 200. Only a request that asks for
  /// no part shows how long the file is. So a length that differs from the known one is not
  /// believed after a request for a range, and that of exactly the missing part needs a validator
  /// that proves another version, whatever was requested. A server of files says the size of the
  /// file apart from the body, so there is no doubt.
  func classifyDoubtfulLength(_ facts: FileFacts) -> Classification? {
    guard let resumeData, hasDurableBytes, url.scheme.family == .http,
      facts.contentCoding == resumeData.contentCoding,
      !known.isSurelySame(facts.validator)
    else { return nil }
    let knownTotal = resumeData.totalByteCount
    if let total = facts.total, let knownTotal, total >= knownTotal { return nil }
    let isRest = facts.total.map { isMissingPart($0, of: resumeData) } ?? false
    if let requested {
      // A mirror's body is never the file.
      if case .mirror = requested.proof { return nil }
      let isOther = known.kinship != .sameURL || known.isOther(facts.validator)
      if isOther, facts.total != nil, !isRest { return nil }
      return .requestAgain(.comparing)
    }
    guard let total = facts.total, total < knownTotal ?? resumeData.durable.upperBound else {
      return nil
    }
    var isContradictory = isRest && !known.isOther(facts.validator)
    switch mode {
    case .fresh: break
    case .resuming, .proving, .comparing:
      isContradictory = isContradictory || known.isSame(facts.validator)
    }
    guard isContradictory else { return nil }
    return contradicted("\(total) bytes in place of \(knownTotal.map(String.init) ?? "more")")
  }

  /// Whether so many bytes are exactly what was requested, or what one would request to continue.
  private func isMissingPart(_ byteCount: Int64, of resumeData: ResumeData) -> Bool {
    guard let total = resumeData.totalByteCount else { return false }
    if let requested {
      let part = (requested.upper ?? total) - requested.lower
      return byteCount == part || byteCount == total - requested.lower
    }
    let gaps = ByteRange(lower: 0, upper: total).map { resumeData.durable.gaps(in: $0) } ?? []
    return gaps.contains { gap in
      gap.lower > 0
        && [gap.lower, gap.lower - ActiveDownload.overlapByteCount].contains(total - byteCount)
    }
  }

  /// Returns the length of the file under the known strong validator, for a reply that does not
  /// declare its length; nil when the validator does not decide.
  func knownLength(under validator: Validator?) -> Int64? {
    guard content == nil, let resumeData, known.isSurelySame(validator) else { return nil }
    return resumeData.totalByteCount
  }

  /// A request with a body has had its effect and is not repeated.
  private func contradicted(_ detail: String) -> Classification {
    let failure = TransferFailure(.contradictoryReply, on: url.text, detail: detail)
    return content == nil ? .retry(failure, after: nil) : .fail(failure)
  }
}
