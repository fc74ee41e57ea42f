import KettleModel

/// The answers of upload resources.
extension ActiveDownload {
  /// Decides how an interrupted upload continues, by the answer of its upload resource.
  mutating func receiveUploadOffset(
    _ response: Response, from primary: DownloadConnection, _ facts: inout TransferFacts,
    in context: DecisionContext
  ) -> Step {
    let head = response.head
    if let challenge = facts.task?.loginChallenge(in: head, from: primary.url) {
      let failure = TransferFailure.loginNeeded(on: primary.url, status: head.status, user: nil)
      return .end(.waiting(.forEvent(.needsLogin, failure, challenge: challenge)))
    }
    if (200..<300).contains(head.status) {
      return continueUpload(by: response, from: primary, &facts, in: context)
    }
    let classifier = ResponseClassifier(
      url: primary.url, requested: nil, mode: mode, resumeData: nil, content: primary.content,
      challengePolicy: head.status == 401 ? .takeReplyAsItStands : .ask,
      user: facts.requestSpec.login(for: primary.url.origin)?.user)
    switch classifier.classify(head, at: context.now) {
    case .redirect(let location): return redirect(primary, to: location, by: response, &facts)
    case .wait(.needsLogin, let failure): return .end(.waiting(.forEvent(.needsLogin, failure)))
    case .retry(let failure, let after):
      return primaryRefused(response, because: failure, retryAfter: after, &facts, in: context)
    case .acceptWhole, .acceptRange, .alreadyWhole, .requestAgain, .requestAsRange, .wait,
      .refused, .fail:
      return .end(facts.startingUploadOver())
    }
  }

  private mutating func continueUpload(
    by response: Response, from primary: DownloadConnection, _ facts: inout TransferFacts,
    in context: DecisionContext
  ) -> Step {
    guard let resumption = facts.taskStatus?.uploadResumption, let total = facts.uploadByteCount
    else { return .end(facts.startingUploadOver()) }
    switch ResumableUpload.Offset(response.head, of: total) {
    case .useless: return .end(facts.startingUploadOver())
    case .part(let offset):
      facts.recordConfirmed(offset)
      return .end(.request(facts.uploadRest(from: offset, to: primary, resumption)))
    case .whole:
      // Its response was lost and cannot be requested again. Another upload could be a second one
      // to the server; so this answer is the response.
      facts.recordConfirmed(total)
      facts.taskStatus?.sentByteCount = total
      let whole = ResponseClassifier.FileFacts(total: 0)
      return acceptWhole(.init(facts: whole, use: .new), of: response, &facts, in: context)
    }
  }
}
