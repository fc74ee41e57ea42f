import KettleModel

/// Replies with a part of the file.
extension ResponseClassifier {
  func judgeRange(_ head: ResponseHead) -> Verdict {
    guard let asked, let resumeData else { return rangeWrong("206 though no range was asked") }
    guard head.isIdentityEncoded else { return rangeWrong("encoded") }
    guard head.mediaType != "multipart/byteranges" else { return rangeWrong("several parts") }
    guard let text = head.value(of: "Content-Range"),
      case .part(let range, let total)? = ContentRange(text)
    else { return rangeWrong("no usable Content-Range") }
    guard range.lower == asked.lower else {
      return rangeWrong("from byte \(range.lower), asked from \(asked.lower)")
    }
    if let upper = asked.upper, range.upper > upper {
      return rangeWrong("up to byte \(range.lastByte), asked up to \(upper - 1)")
    }
    let facts = facts(head, total: total)
    if let contradiction = judgeLength(facts) { return contradiction }
    if let known = resumeData.totalByteCount, let total, known != total {
      return anotherOne(total)
    }
    if let known = resumeData.totalByteCount, range.upper > known {
      return rangeWrong("up to byte \(range.lastByte) of \(known)")
    }
    if let length = head.bodyByteCount, length != range.byteCount {
      return rangeWrong("\(length) bytes announced for a range of \(range.byteCount)")
    }
    if let problem = judgeProof(asked.proof, facts, resumeData) { return problem }
    return .takeRange(range, facts)
  }

  /// nil when the part belongs to the file, as far as its head shows.
  private func judgeProof(
    _ proof: RequestedRange.Proof, _ facts: Facts, _ resumeData: ResumeData
  ) -> Verdict? {
    let known = resumeData.validator
    let changed = anotherOne(facts.total)
    switch proof {
    case .ifRange:
      // The server need not repeat its validator (RFC 9110, section 15.3.7); if it does, it must be
      // the one that we sent.
      guard let sent = facts.validator else { return nil }
      if Self.isSame(known, sent) { return nil }
      guard !Self.isSurelyOther(known, sent), let tag = sent.entityTag else { return changed }
      return .askAgain(.proving(.overlap(suspect: tag)))
    case .sameValidator:
      return Self.isSurelySame(known, facts.validator) ? nil : changed
    case .overlap(let suspect):
      // Without both totals even a longer file would pass.
      guard facts.total != nil, resumeData.totalByteCount != nil else {
        return .askAgain(.comparing)
      }
      if let suspect, facts.validator?.entityTag == suspect { return changed }
      let isOtherServer = resumeData.validatorURL != nil
      return !isOtherServer && Self.isSurelyOther(known, facts.validator) ? changed : nil
    }
  }

  private func rangeWrong(_ detail: String) -> Verdict {
    .retry(TransferFailure(.rangeReplyWrong, on: url.text, detail: detail), after: nil)
  }
}
