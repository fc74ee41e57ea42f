import KettleModel

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
