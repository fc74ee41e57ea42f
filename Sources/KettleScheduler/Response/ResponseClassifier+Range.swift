import KettleModel

/// Replies with a part of the file.
extension ResponseClassifier {
  func classifyRange(_ head: ResponseHead) -> Classification {
    guard let requested else {
      return content == nil
        ? .requestAsRange : rangeWrong("206 although no range was requested")
    }
    if requested.proof == .wholeFile { return classifyWholeAsRange(head) }
    guard let resumeData else { return rangeWrong("206 although no range was requested") }
    // A part need not repeat how the whole is compressed (RFC 9110, section 15.3.7).
    if let coding = contentCoding(head), coding != resumeData.contentCoding {
      return rangeWrong("compressed with \(coding)")
    }
    guard head.mediaType != "multipart/byteranges" else { return rangeWrong("several parts") }
    guard let text = head.value(of: "Content-Range"),
      case .part(let range, let total)? = ContentRange(text)
    else { return rangeWrong("no usable Content-Range") }
    guard range.lower == requested.lower else {
      return rangeWrong("from byte \(range.lower), requested from \(requested.lower)")
    }
    if let upper = requested.upper, range.upper > upper {
      return rangeWrong("up to byte \(range.lastByte), requested up to \(upper - 1)")
    }
    let facts = facts(head, total: total)
    if let contradiction = classifyLength(facts) { return contradiction }
    if let known = resumeData.totalByteCount, let total, known != total {
      return otherVersion(total)
    }
    if let known = resumeData.totalByteCount, range.upper > known {
      return rangeWrong("up to byte \(range.lastByte) of \(known)")
    }
    if let length = head.bodyByteCount, length != range.byteCount {
      return rangeWrong("\(length) bytes announced for a range of \(range.byteCount)")
    }
    if let problem = classifyProof(requested.proof, facts) { return problem }
    return .acceptRange(range, facts)
  }

  /// nil when the part belongs to the file, as far as its head shows.
  private func classifyProof(
    _ proof: RequestedRange.Proof, _ facts: FileFacts
  ) -> Classification? {
    let changed = otherVersion(facts.total)
    switch proof {
    case .ifRange:
      // The server need not repeat its validator (RFC 9110, section 15.3.7); if it does, it must be
      // the one that we sent.
      guard let sent = facts.validator else { return nil }
      if known.isSame(sent) { return nil }
      guard !known.isSurelyOther(sent), let tag = sent.entityTag else { return changed }
      return .requestAgain(.proving(.overlap(suspect: tag)))
    case .sameValidator:
      return known.isSurelySame(facts.validator) ? nil : changed
    case .overlap(let suspect):
      // Without both totals even a longer file would pass.
      guard isTotalKnown(facts) else { return .requestAgain(.comparing) }
      if known.isSurelyOther(facts.validator) { return changed }
      guard let suspect, known.kinship == .sameURL else { return nil }
      if facts.validator?.entityTag == suspect { return changed }
      // The server says that it is another version. Equal bytes before the gap say little about all
      // others, so only a date may overrule it, or the whole file.
      return known.isConfirmedByDate(facts.validator) ? nil : .requestAgain(.comparing)
    // The digests decide, when the bytes are there.
    case .pieces: return nil
    // It has no other bytes to belong to.
    case .wholeFile: return nil
    case .mirror(_, let sentValidator):
      guard isTotalKnown(facts) else { return .requestAgain(.comparing) }
      // What the mirror had when its bytes were compared; without it the bytes decide alone.
      guard resumeData?.validator != nil, !(sentValidator != nil && facts.validator == nil) else {
        return nil
      }
      return known.isSame(facts.validator) ? nil : changed
    }
  }

  private func isTotalKnown(_ facts: FileFacts) -> Bool {
    facts.total != nil && resumeData?.totalByteCount != nil
  }

  /// The reply to a request for all bytes as a range: the whole file, or its beginning.
  private func classifyWholeAsRange(_ head: ResponseHead) -> Classification {
    guard head.mediaType != "multipart/byteranges" else { return rangeWrong("several parts") }
    guard let text = head.value(of: "Content-Range"),
      case .part(let range, let total?)? = ContentRange(text)
    else { return rangeWrong("no usable Content-Range") }
    guard range.lower == 0 else {
      return rangeWrong("from byte \(range.lower), requested from 0")
    }
    if let length = head.bodyByteCount, length != range.byteCount {
      return rangeWrong("\(length) bytes announced for a range of \(range.byteCount)")
    }
    let verdict = classifyWhole(facts(head, total: total))
    guard range.upper < total, case .acceptWhole(var whole) = verdict else { return verdict }
    if case .compared = whole.use { return rangeWrong("up to byte \(range.lastByte) of \(total)") }
    whole.endOfBeginning = range.upper
    return .acceptWhole(whole)
  }

  private func rangeWrong(_ detail: String) -> Classification {
    .retry(TransferFailure(.rangeReplyWrong, on: url.text, detail: detail), after: nil)
  }
}

/// Replies with the whole file.
extension ResponseClassifier {
  func classifyWhole(_ head: ResponseHead) -> Classification {
    if let contradiction = classifyPartAsWhole(head) { return contradiction }
    if let verdict = classifyWholeInPlaceOfProvedPart() { return verdict }
    return classifyWhole(
      facts(head, total: bodyByteCount(head) ?? knownLength(under: head.validator)))
  }

  /// Returns the verdict on a whole file where parts are fetched that digests prove: the validator
  /// is asked for no more, and then the server has no parts. Returns nil for any other transfer.
  private func classifyWholeInPlaceOfProvedPart() -> Classification? {
    guard resumeData?.isProvedByDigests == true else { return nil }
    if case .ifRange? = requested?.proof { return .requestAgain(.proving(.pieces)) }
    return .fail(
      TransferFailure(
        .rangeReplyWrong, on: url.text, detail: "the server sends no part of the file"))
  }

  func classifyWhole(_ facts: FileFacts) -> Classification {
    guard let resumeData else { return .acceptWhole(Whole(facts: facts, use: .new)) }
    if case .fresh(let reason) = mode, !hasDurableBytes {
      // The recorded partial file cannot be used, although none of its bytes count.
      return .acceptWhole(Whole(facts: facts, use: .instead(because: reason)))
    }
    guard hasDurableBytes || requested.map({ $0 != .all }) == true else {
      return .acceptWhole(Whole(facts: facts, use: .new))
    }
    if isPageInstead(facts, of: resumeData) {
      return .wait(.needsLink, .pageInstead(of: url))
    }
    if let contradiction = classifyLength(facts) { return contradiction }
    switch mode {
    case .fresh(.contradictoryReplies):
      // What is known of the file still holds: only the way to its bytes is another.
      return classifyWholeWithBytes(facts, resumeData).because(of: .contradictoryReplies)
    case .fresh(let reason):
      return classifyDoubtfulLength(facts)
        ?? .acceptWhole(Whole(facts: facts, use: .instead(because: reason)))
    case .resuming, .proving, .comparing:
      let verdict = classifyWholeWithBytes(facts, resumeData)
      return verdict.keepsBytes ? verdict : classifyDoubtfulLength(facts) ?? verdict
    }
  }

  /// The server sent everything despite durable bytes: the file changed, the server does not
  /// support ranges, or it misunderstood the proof.
  private func classifyWholeWithBytes(_ facts: FileFacts, _ resumeData: ResumeData)
    -> Classification
  {
    let changed =
      known.kinship == .otherURL || wantedProof == .pieces
      ? otherVersion(facts.total)
      : .acceptWhole(Whole(facts: facts, use: .instead(because: .resourceChanged)))
    // The same file in another compression has other bytes.
    if facts.contentCoding != resumeData.contentCoding { return changed }
    if let total = facts.total {
      if let known = resumeData.totalByteCount, known != total { return changed }
      if total < resumeData.durable.upperBound { return changed }
    }
    switch wantedProof {
    case .pieces: return compared(facts, .rangeIgnored)
    case .ifRange:
      if known.isSurelySame(facts.validator) { return .requestAgain(.proving(.sameValidator)) }
      if known.kinship == .sameURL {
        // A tag that is gone or a changed date: no server of the same file does that.
        guard !known.isSurelyOther(facts.validator), facts.total != nil, known.hasEntityTag,
          let tag = facts.validator?.entityTag
        else { return changed }
        return .requestAgain(.proving(.overlap(suspect: tag)))
      }
      return .requestAgain(.proving(.overlap(suspect: nil)))
    case .sameValidator, .mirror:
      return known.isSame(facts.validator) ? compared(facts, .rangeIgnored) : changed
    case .overlap(let suspect):
      if known.kinship == .sameURL, let suspect, facts.validator?.entityTag == suspect {
        return changed
      }
      if known.isSurelyOther(facts.validator) { return changed }
      return compared(facts, requested == nil ? .noValidator : .rangeIgnored)
    case .wholeFile, nil:
      // Tags that differ although nothing else does may be those of a server with another one in
      // each response. The whole file decides.
      if known.isSurelyOther(facts.validator) { return changed }
      let isIdentified = known.strongValue != nil && known.isSame(facts.validator)
      return compared(facts, isIdentified ? .rangeIgnored : .noValidator)
    }
  }

  /// If no bytes before a gap could be repeated, the overlap is the whole file: its tag proves as
  /// little as that of a part.
  private var wantedProof: RequestedRange.Proof? {
    if let requested { return requested.proof == .wholeFile ? nil : requested.proof }
    if case .proving(.overlap(let suspect)) = mode { return .overlap(suspect: suspect) }
    return nil
  }

  private func compared(_ facts: FileFacts, _ reason: FreshStartReason) -> Classification {
    .acceptWhole(Whole(facts: facts, use: .compared(because: reason)))
  }

  /// A web page where there was none before: a login page, an error with status 200, or the page of
  /// a network that requires payment. It is not a new version of an archive.
  private func isPageInstead(_ facts: FileFacts, of resumeData: ResumeData) -> Bool {
    guard let before = resumeData.mediaType, before != "text/html" else { return false }
    return facts.mediaType == "text/html"
  }
}

extension ResponseClassifier.Classification {
  /// The same with another reason for a comparison.
  fileprivate func because(of reason: FreshStartReason) -> Self {
    guard case .acceptWhole(var whole) = self, case .compared = whole.use else { return self }
    whole.use = .compared(because: reason)
    return .acceptWhole(whole)
  }
}
