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
