import KettleModel

/// Replies that contradict themselves or earlier replies for the same version. They are not
/// trusted: durable bytes stay, and the request is retried.
extension ResponseClassifier {
  /// Returns the verdict on a reply that declares its body as the whole file and as a part; nil for
  /// any other. `Content-Range` belongs to 206 and 416 only (RFC 9110, section 14.4).
  func classifyPartAsWhole(_ head: ResponseHead) -> Classification? {
    guard let text = head.values(of: "Content-Range").first else { return nil }
    let shown = text.sanitizedForDisplay(limit: 60)
    return contradicted("\(head.status) with Content-Range: \(shown)")
  }

  /// Returns the verdict on a different length under the known strong validator; nil when the
  /// lengths agree or the validator does not decide.
  func classifyLength(_ facts: FileFacts) -> Classification? {
    // The validators of two servers cannot be compared.
    guard let resumeData, resumeData.validatorURL == nil, let total = facts.total,
      Self.isSurelySame(resumeData.validator, facts.validator)
    else { return nil }
    let isShorterThanHeld = total < resumeData.durable.upperBound
    let known =
      resumeData.totalByteCount ?? (isShorterThanHeld ? resumeData.durable.upperBound : nil)
    guard let known, known != total else { return nil }
    return contradicted("\(total) bytes in place of \(known) under the same validator")
  }

  /// Returns the length of the file under the known strong validator, for a reply that does not
  /// declare its length; nil when the validator does not decide.
  func knownLength(under validator: Validator?) -> Int64? {
    guard content == nil, let resumeData, resumeData.validatorURL == nil,
      Self.isSurelySame(resumeData.validator, validator)
    else { return nil }
    return resumeData.totalByteCount
  }

  /// A request with a body has had its effect and is not repeated.
  private func contradicted(_ detail: String) -> Classification {
    let failure = TransferFailure(.contradictoryReply, on: url.text, detail: detail)
    return content == nil ? .retry(failure, after: nil) : .fail(failure)
  }
}
