import KettleModel

/// Replies with the whole file.
extension ResponseClassifier {
  func judgeWhole(_ head: ResponseHead) -> Verdict {
    if let contradiction = judgePartAsWhole(head) { return contradiction }
    guard head.isIdentityEncoded || isStoredCompressed(head) else {
      return .fail(
        TransferFailure(
          .encodedReply, on: url.text,
          detail: head.value(of: "Content-Encoding")?.sanitizedForDisplay(limit: 40)))
    }
    let facts = facts(head, total: bodyByteCount(head) ?? knownLength(under: head.validator))
    guard let resumeData else { return .takeWhole(Whole(facts: facts, use: .new)) }
    if case .fresh(let reason) = asking, !holdsBytes {
      // The recorded partial file cannot be used, although none of its bytes count.
      return .takeWhole(Whole(facts: facts, use: .instead(because: reason)))
    }
    guard holdsBytes || asked != nil else {
      return .takeWhole(Whole(facts: facts, use: .new))
    }
    if isPageInstead(facts, of: resumeData) {
      let failure = TransferFailure(
        .linkExpired, on: url.text, detail: "it sent a web page in place of the file")
      return .wait(.needsLink, failure)
    }
    if let contradiction = judgeLength(facts) { return contradiction }
    switch asking {
    case .fresh(let reason): return .takeWhole(Whole(facts: facts, use: .instead(because: reason)))
    case .goingOn, .proving, .comparing: return judgeWholeWithBytes(facts, resumeData)
    }
  }

  /// The server sent everything despite durable bytes: the file changed, the server does not
  /// support ranges, or it misunderstood the proof.
  private func judgeWholeWithBytes(_ facts: Facts, _ resumeData: ResumeData) -> Verdict {
    let isOtherServer = resumeData.validatorURL != nil
    let changed =
      isOtherServer
      ? anotherOne(facts.total)
      : .takeWhole(Whole(facts: facts, use: .instead(because: .resourceChanged)))
    if let total = facts.total {
      if let known = resumeData.totalByteCount, known != total { return changed }
      if total < resumeData.held.upperBound { return changed }
    }
    let known = resumeData.validator
    switch wantedProof {
    case .ifRange:
      if Self.isSurelySame(known, facts.validator) {
        return .askAgain(.proving(.sameValidator))
      }
      if !isOtherServer {
        // A tag that is gone or a changed date: no server of the same file does that.
        guard !Self.isSurelyOther(known, facts.validator), facts.total != nil,
          known?.entityTag != nil, let tag = facts.validator?.entityTag
        else { return changed }
        return .askAgain(.proving(.overlap(suspect: tag)))
      }
      return .askAgain(.proving(.overlap(suspect: nil)))
    case .sameValidator:
      return Self.isSame(known, facts.validator) ? compared(facts, .rangeIgnored) : changed
    case .overlap(let suspect):
      if let suspect, facts.validator?.entityTag == suspect { return changed }
      if !isOtherServer, Self.isSurelyOther(known, facts.validator) { return changed }
      return compared(facts, asked == nil ? .noValidator : .rangeIgnored)
    case nil:
      if !isOtherServer, isOther(known, facts.validator) { return changed }
      return compared(facts, known?.strongValue == nil ? .noValidator : .rangeIgnored)
    }
  }

  /// If no bytes before a gap could be repeated, the overlap is the whole file: its tag proves as
  /// little as that of a part.
  private var wantedProof: RequestedRange.Proof? {
    if let asked { return asked.proof }
    if case .proving(.overlap(let suspect)) = asking { return .overlap(suspect: suspect) }
    return nil
  }

  private func compared(_ facts: Facts, _ reason: FreshStartReason) -> Verdict {
    .takeWhole(Whole(facts: facts, use: .compared(because: reason)))
  }

  private func isOther(_ known: Validator?, _ sent: Validator?) -> Bool {
    guard known?.strongValue != nil, sent?.strongValue != nil else {
      return Self.isSurelyOther(known, sent)
    }
    return !Self.isSame(known, sent)
  }

  /// A web page where there was none before: a login page, an error with status 200, or the page of
  /// a network that requires payment. It is not a new version of an archive.
  private func isPageInstead(_ facts: Facts, of resumeData: ResumeData) -> Bool {
    guard let before = resumeData.mediaType, before != "text/html" else { return false }
    return facts.mediaType == "text/html"
  }

  /// Old servers label a stored `.gz` file with its own compression as content coding; the bytes
  /// are the file nevertheless.
  private func isStoredCompressed(_ head: ResponseHead) -> Bool {
    let coding = head.value(of: "Content-Encoding")?.lowercased() ?? ""
    let path = url.path.lowercased()
    return (coding == "gzip" || coding == "x-gzip")
      && (path.hasSuffix(".gz") || path.hasSuffix(".tgz"))
  }
}
