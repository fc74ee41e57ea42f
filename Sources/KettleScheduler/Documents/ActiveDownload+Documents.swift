import KettleModel

/// Requests for documents, and for the segments of a playlist.
extension ActiveDownload {
  /// Begins the request for something other than the file, with a single connection.
  static func beginOther(
    _ request: NextRequest, attempt: AttemptID, _ facts: inout TransferFacts, at now: Moment
  ) -> Transition {
    var primary = DownloadConnection(
      attempt: attempt, url: request.url, redirects: request.redirects, requested: nil,
      range: nil, at: now.monotonic)
    primary.content = request.content
    var download = ActiveDownload(
      primary: primary, mode: request.mode, purpose: request.purpose, check: request.check,
      received: facts.resumeData?.durable ?? ByteRangeSet())
    download.splitting = .refused
    var plan = AttemptPlan(
      attempt: attempt, url: request.url, redirects: request.redirects, requested: nil,
      content: request.content, check: request.check, purpose: request.purpose, facts: facts)
    plan.headers += facts.playlist?.rangeHeaders(for: request.purpose) ?? []
    if case .document(.listing(let document)) = request.purpose {
      plan.headers += document.headers
      plan.listsDirectory = request.url.scheme.family != .http
    }
    return .entering(.running(download), [.beginAttempt(facts.id, plan)])
  }

  /// Decides what a response means.
  mutating func receiveOther(
    _ response: Response, _ facts: inout TransferFacts, in context: DecisionContext
  ) -> Step {
    guard let primary = connection(of: response.attempt) else { return .none }
    if purpose == .uploadOffset {
      return receiveUploadOffset(response, from: primary, &facts, in: context)
    }
    var head = response.head
    if case .document(.listing(let document)) = purpose { head = document.understood(head) }
    if let coding = head.contentCoding, (200..<300).contains(head.status) {
      return .end(.failed(failure(on: primary.url, "it is compressed (\(coding))")))
    }
    if case .segment = purpose, let page = PlaylistRun.pageInstead(head) {
      let next = facts.afterPage("\(page) in place of a segment", at: primary.url, in: context)
      return .end(facts.refetchingPlaylist ?? next)
    }
    if let range = facts.playlist?.range(of: purpose), [200, 206].contains(head.status) {
      return acceptPart(range, of: response, from: primary, &facts, in: context)
    }
    let classifier = ResponseClassifier(
      url: primary.url, requested: nil, mode: mode, resumeData: nil,
      user: facts.requestSpec.login(for: primary.url.origin)?.user)
    switch classifier.classify(head, at: context.now) {
    case .acceptWhole(let whole):
      return accept(whole.facts.total, of: response, &facts, in: context)
    case .redirect(let location): return redirect(primary, to: location, by: response, &facts)
    case .wait(let reason, let failure): return .end(.waiting(.forEvent(reason, failure)))
    case .retry(let failure, let after):
      return primaryRefused(response, because: failure, retryAfter: after, &facts, in: context)
    case .fail(let failure):
      if case .segment = purpose, [403, 404, 410].contains(head.status) {
        return .end(facts.refetchingPlaylist ?? .failed(failure))
      }
      return .end(.failed(failure))
    // Only a request that continues a file gets these.
    case .acceptRange, .alreadyWhole, .requestAgain, .requestAsRange, .refused:
      return .end(.failed(failure(on: primary.url, "the server sent only a part of it")))
    }
  }

  private func failure(on url: TransferURL, _ detail: String) -> TransferFailure {
    switch purpose {
    case .document(let document): document.failure(on: url, detail)
    case .segment, .file, .uploadOffset, .uploadRest:
      RequestPurpose.Document.playlist.failure(on: url, detail)
    }
  }

  private mutating func accept(
    _ total: Int64?, of response: Response, _ facts: inout TransferFacts,
    in context: DecisionContext
  ) -> Step {
    guard let index = index(of: response.attempt) else { return .none }
    switch purpose {
    case .file, .uploadOffset, .uploadRest: return .none
    case .document(let document):
      if let total, total > Int64(document.byteCountMax) {
        return .end(
          .failed(failure(on: connections[index].url, "it is longer than expected")))
      }
      body = .document
      connections[index].receive(nil, at: context.now.monotonic)
      // URLs in the document may lead only where a redirect of its server may.
      connections[index].redirects = connections[index].redirects.followed(by: response.reach)
      let answered = document.answered(by: response.head, from: connections[index].url)
      return Step(actions: [.acceptDocument(facts.id, response.attempt, answered)])
    case .segment:
      let proof = facts.playlist?.proof(by: purpose)
      let lower = proof?.lower ?? facts.resumeData?.playlist?.joinedByteCount ?? 0
      let (upper, overflows) = lower.addingReportingOverflow(total ?? 0)
      let range = total == nil || overflows ? nil : ByteRange(lower: lower, upper: upper)
      let plan = facts.bodyPlanOfPlaylist()
      let ruled = facts.applyRules(to: plan, type: facts.typeOfPlaylist, in: context)
      var step = open(plan, range, by: response.attempt, of: facts.id, at: context.now)
      step.actions += ruled
      return step
    }
  }

  /// Accepts a segment that is a part of a resource.
  private mutating func acceptPart(
    _ range: ByteRange, of response: Response, from primary: DownloadConnection,
    _ facts: inout TransferFacts, in context: DecisionContext
  ) -> Step {
    let head = response.head
    let sent = head.value(of: "Content-Range").flatMap(ContentRange.init)
    let total: Int64? = if case .part(_, let total)? = sent { total } else { nil }
    if facts.playlist?.isOfOtherVersion(head, total: total, for: purpose) == true {
      return .end(facts.startingFresh(because: .resourceChanged))
    }
    guard head.status == 206, case .part(range, _)? = sent,
      head.bodyByteCount ?? range.byteCount == range.byteCount
    else {
      let failure = TransferFailure(.rangeReplyWrong, on: primary.url.text)
      return primaryRefused(
        response, because: failure, retryAfter: nil, &facts, in: context)
    }
    facts.playlist?.receive(head, total: total, for: purpose)
    return accept(range.byteCount, of: response, &facts, in: context)
  }

  /// The partial file is open: lets a segment flow to its end.
  mutating func accept(
    _ segmentIndex: Int, by attempt: AttemptID, _ facts: inout TransferFacts
  ) -> Step {
    let progress = facts.playlist?.progress
    if facts.resumeData?.playlist == nil { facts.resumeData?.playlist = progress }
    let key = facts.playlist?.decryption(of: segmentIndex)
    let proof = facts.playlist?.proof(by: purpose)
    // The plain text of an encrypted segment is shorter than its response.
    let upper = proof?.upper ?? (key == nil ? connection(of: attempt)?.range?.upper : nil)
    let lower = proof?.lower ?? facts.resumeData?.playlist?.joinedByteCount ?? 0
    return Step(actions: [
      .acceptSegment(facts.id, attempt, from: lower, upTo: upper, key)
    ])
  }

  /// Decides what follows the proper end of a response for a segment. One without bytes, or with
  /// fewer than announced, is not joined.
  ///
  /// - Parameter end: the end of its bytes in the file; nil when none of them counts.
  mutating func afterSegment(
    _ connection: DownloadConnection, upTo end: Int64?, _ facts: inout TransferFacts,
    in context: DecisionContext
  ) -> Step {
    let failure: TransferFailure
    if let proof = facts.playlist?.proof(by: purpose) {
      if end == proof.upper { return .end(.nextSegment) }
      failure = TransferFailure(
        .otherVersion, on: facts.urlText, detail: "a segment has another length than before")
    } else {
      let lower = facts.resumeData?.playlist?.joinedByteCount ?? 0
      if let end, end > lower { return .end(.nextSegment) }
      failure = TransferFailure(
        .truncated, on: connection.url.text, detail: "a segment without all of its bytes")
    }
    return afterFailed(connection, with: failure, &facts, in: context)
  }

  /// Uses a document that has arrived.
  func afterDocument(
    _ document: ArrivedDocument, from connection: DownloadConnection, _ facts: inout TransferFacts,
    in context: DecisionContext
  ) -> Step {
    guard case .document = purpose else { return .none }
    return .end(
      facts.use(
        document, from: connection.url, redirects: connection.redirects, in: context))
  }
}
