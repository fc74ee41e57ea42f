import KettleModel

/// Replies with the whole file.
extension ResponseClassifier {
  func classifyWhole(_ head: ResponseHead) -> Classification {
    if let contradiction = classifyPartAsWhole(head) { return contradiction }
    return classifyWhole(
      facts(head, total: bodyByteCount(head) ?? knownLength(under: head.validator)))
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
      known.kinship == .otherURL
      ? otherVersion(facts.total)
      : .acceptWhole(Whole(facts: facts, use: .instead(because: .resourceChanged)))
    // The same file in another compression has other bytes.
    if facts.contentCoding != resumeData.contentCoding { return changed }
    if let total = facts.total {
      if let known = resumeData.totalByteCount, known != total { return changed }
      if total < resumeData.durable.upperBound { return changed }
    }
    switch wantedProof {
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
