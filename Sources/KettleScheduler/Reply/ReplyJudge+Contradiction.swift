import KettleModel

/// Replies that contradict themselves, or what the server said of the same version before. Nothing
/// in them is believed: what is held stays, and the server is asked again.
extension ReplyJudge {
  /// Returns the verdict on a reply that calls its body the whole file and a part of it at once;
  /// nil when it does not. `Content-Range` belongs to 206 and 416 only (RFC 9110, section 14.4).
  func judgePartAsWhole(_ head: ResponseHead) -> Verdict? {
    guard let text = head.values(of: "Content-Range").first else { return nil }
    let shown = text.sanitizedForDisplay(limit: 60)
    return contradicted("\(head.status) with Content-Range: \(shown)")
  }

  /// Returns the verdict on another length under the strong validator that is known; nil when the
  /// lengths agree or the validator does not tell.
  func judgeLength(_ facts: Facts) -> Verdict? {
    // The validators of two servers say nothing about each other.
    guard let resumeData, resumeData.validatorURL == nil, let total = facts.total,
      Self.isSurelySame(resumeData.validator, facts.validator)
    else { return nil }
    let isShorterThanHeld = total < resumeData.held.upperBound
    let known = resumeData.totalByteCount ?? (isShorterThanHeld ? resumeData.held.upperBound : nil)
    guard let known, known != total else { return nil }
    return contradicted("\(total) bytes in place of \(known) under the same validator")
  }

  /// Returns the length of the file under the strong validator that is known, for a reply that does
  /// not say how long its body is; nil when the validator does not tell.
  func knownLength(under validator: Validator?) -> Int64? {
    guard content == nil, let resumeData, resumeData.validatorURL == nil,
      Self.isSurelySame(resumeData.validator, validator)
    else { return nil }
    return resumeData.totalByteCount
  }

  /// What a request with a body has done is not done again.
  private func contradicted(_ detail: String) -> Verdict {
    let failure = TransferFailure(.contradictoryReply, on: url.text, detail: detail)
    return content == nil ? .retry(failure, after: nil) : .fail(failure)
  }
}
