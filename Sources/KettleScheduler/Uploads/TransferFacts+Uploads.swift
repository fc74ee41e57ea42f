import KettleModel

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
