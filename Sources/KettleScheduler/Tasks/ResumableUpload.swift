import KettleModel

/// The headers of resumable uploads: draft-ietf-httpbis-resumable-upload-05, which is interop
/// version 6. Servers ignore them if they do not know the protocol.
enum ResumableUpload {
  static let supportedStatus = 104

  private static let version = HeaderField(received: "Upload-Draft-Interop-Version", "6")
  private static let isWhole = HeaderField(received: "Upload-Complete", "?1")

  /// For the request that begins an upload of `byteCount` bytes: it asks for an upload resource.
  static func creation(of byteCount: Int64) -> [HeaderField] {
    [version, isWhole, HeaderField(received: "Upload-Length", "\(byteCount)")]
  }

  /// For the question how many bytes the upload resource has.
  static let offsetQuestion = [version]

  /// For the rest of the bytes, from `offset` on.
  static func rest(from offset: Int64) -> [HeaderField] {
    [
      version, isWhole, HeaderField(received: "Upload-Offset", "\(offset)"),
      HeaderField(received: "Content-Type", "application/partial-upload"),
    ]
  }

  /// Whether the program speaks such a protocol itself: another offer beside its own would be a
  /// contradiction.
  static func isSpoken(in headers: [HeaderField]) -> Bool {
    headers.contains { field in
      let name = field.name.lowercased()
      return name.hasPrefix("upload-") || name == "tus-resumable"
    }
  }

  // MARK: Responses

  /// The location of the upload resource that a server announces, as written; nil without one.
  static func location(in head: ResponseHead) -> String? {
    guard head.status == supportedStatus,
      head.value(of: version.name)?.trimmed == version.value[...]
    else { return nil }
    return head.value(of: "Location")
  }

  /// Whether the server has the whole upload; nil where it does not say so.
  static func isComplete(_ head: ResponseHead) -> Bool? {
    switch head.value(of: "Upload-Complete").map(item) {
    case "?1"?: true
    case "?0"?: false
    case _?, nil: nil
    }
  }

  /// What the upload resource has.
  enum Offset: Sendable, Hashable {
    case part(upTo: Int64)
    case whole
    /// It contradicts itself or the file, or does not answer the question.
    case useless

    /// - Parameter total: the number of bytes of the file.
    init(_ head: ResponseHead, of total: Int64) {
      guard let text = head.value(of: "Upload-Offset"),
        let offset = DecimalDigits.int64(ResumableUpload.item(text)), offset <= total
      else {
        self = .useless
        return
      }
      switch ResumableUpload.isComplete(head) {
      case true?: self = offset == total ? .whole : .useless
      case false?, nil: self = .part(upTo: offset)
      }
    }
  }

  /// The item of a structured field, without its parameters (RFC 9651, section 3.3).
  private static func item(_ value: String) -> Substring {
    let item = value.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false).first
    return String(item ?? "").trimmed
  }
}

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

/// Uploads that continue where they were interrupted.
///
/// The server announces an upload resource while it receives the file. After an interruption that
/// resource is asked for the number of its bytes (`RequestPurpose.uploadOffset`) and gets the
/// others (`uploadRest`). Without it, or once it is of no use, the file is sent from its beginning.
extension TransferFacts {
  /// The length of the file to send; nil unless it is an upload.
  var uploadByteCount: Int64? {
    guard spec.task?.kind == .upload, case .file(_, let byteCount)? = spec.content?.body else {
      return nil
    }
    return byteCount
  }

  /// The protocol's headers for a request.
  func uploadHeaders(for purpose: RequestPurpose, _ content: RequestContent?) -> [HeaderField] {
    switch purpose {
    case .file:
      // A redirect may have made another request of it.
      guard let uploadByteCount, content?.body == spec.content?.body, offersResumption else {
        return []
      }
      return ResumableUpload.creation(of: uploadByteCount)
    case .uploadOffset: return ResumableUpload.offsetQuestion
    case .uploadRest(let offset): return ResumableUpload.rest(from: offset)
    case .document, .segment: return []
    }
  }

  private var offersResumption: Bool {
    repetitions.permitsUploadResource && !ResumableUpload.isSpoken(in: spec.headers)
  }

  // MARK: Informational responses

  /// Records an informational response for the program.
  mutating func recordInformational(
    _ head: ResponseHead, from connection: DownloadConnection, _ purpose: RequestPurpose
  ) {
    guard purpose.isFile, var status = taskStatus else { return }
    var replies = status.informationalReplies ?? InformationalReplies()
    replies.record(
      ServerReply(url: connection.url.text, status: head.status, headers: head.headers))
    status.informationalReplies = replies
    taskStatus = status
  }

  /// Records the upload resource that the server announces. Its URL follows the rules for
  /// redirects.
  ///
  /// - Parameter modifiedNanoseconds: the modification time of the file that is being sent.
  mutating func recordUploadResource(
    in head: ResponseHead, from connection: DownloadConnection, _ reach: NetworkReach,
    sending modifiedNanoseconds: Int64
  ) {
    guard uploadByteCount != nil, offersResumption, taskStatus?.uploadResumption == nil,
      connection.content?.body == spec.content?.body,
      let location = ResumableUpload.location(in: head),
      case .follow(let url) = RedirectPolicy.decide(
        location: location, from: connection.url, redirectCount: 0)
    else { return }
    // The same server may have another address the next time.
    let redirects =
      url.origin == connection.url.origin
      ? connection.redirects : connection.redirects.followed(by: reach)
    taskStatus?.uploadResumption = UploadResumption(
      url: url, minimumReach: redirects.minimumReach, modifiedNanoseconds: modifiedNanoseconds)
  }

  // MARK: Requests

  /// The question with which an interrupted upload continues; nil when it begins from zero.
  var uploadContinuation: NextRequest? {
    guard uploadByteCount != nil, let resumption = taskStatus?.uploadResumption else { return nil }
    return NextRequest(
      url: resumption.url,
      redirects: RedirectChain(count: 0, minimumReach: resumption.minimumReach), mode: .resuming,
      content: RequestContent(method: "HEAD"), purpose: .uploadOffset)
  }

  /// The request with the bytes from `offset` on.
  func uploadRest(
    from offset: Int64, to primary: DownloadConnection, _ resumption: UploadResumption
  ) -> NextRequest {
    let rest = RequestContent.Rest(
      offset: offset, modifiedNanoseconds: resumption.modifiedNanoseconds)
    return NextRequest(
      url: primary.url, redirects: primary.redirects, mode: .resuming,
      content: RequestContent(method: "PATCH", body: spec.content?.body, rest: rest),
      purpose: .uploadRest(from: offset))
  }

  /// What follows when the upload resource is of no use: the file is sent from its beginning.
  mutating func startingUploadOver() -> TransferMachine.AfterEnding {
    repetitions.recordUselessUploadResource()
    taskStatus?.uploadResumption = nil
    return requesting(.resuming)
  }

  /// What follows a response to the rest of an upload that is not its outcome; nil for the outcome.
  mutating func afterUploadRefused(
    _ head: ResponseHead, _ purpose: RequestPurpose
  ) -> TransferMachine.AfterEnding? {
    guard case .uploadRest = purpose else { return nil }
    let isComplete = ResumableUpload.isComplete(head)
    switch head.status {
    // It has another number of bytes than before, or not all of them yet.
    case 200..<300 where isComplete == false, 409 where isComplete != true:
      repetitions.recordUselessUploadResource()
      guard repetitions.permitsUploadResource, let question = uploadContinuation else {
        return startingUploadOver()
      }
      return .request(question)
    case 404 where isComplete != true, 410 where isComplete != true: return startingUploadOver()
    default: return nil
    }
  }

  /// What follows when the address of an upload resource must not be connected to; nil for any
  /// other request.
  mutating func afterUploadResourceRefused(
    _ purpose: RequestPurpose
  ) -> TransferMachine.AfterEnding? {
    switch purpose {
    case .uploadOffset, .uploadRest: startingUploadOver()
    case .file, .document, .segment: nil
    }
  }
}

extension RequestPurpose {
  /// The purpose behind a redirect. Without the body, what follows is the outcome of the upload.
  func redirected(with content: RequestContent?) -> RequestPurpose {
    if case .uploadRest = self, content == nil { return .file }
    return self
  }
}

extension TransferFacts {
  /// Records how many bytes the server has. More than before are progress: like bytes that arrive,
  /// they reset the retry count.
  mutating func recordConfirmed(_ byteCount: Int64) {
    guard let known = taskStatus?.uploadResumption?.confirmedByteCount, byteCount > known else {
      return
    }
    taskStatus?.uploadResumption?.confirmedByteCount = byteCount
    retryCount = 0
  }
}
