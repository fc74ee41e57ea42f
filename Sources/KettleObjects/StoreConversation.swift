import KettleEngine
import KettleModel

/// Requests about one object: signed, repeated where that may help, and judged.
final class StoreConversation {
  private let client: ObjectStoreClient
  private let destination: ObjectDestination
  let key: String
  /// The `s3://` URL.
  let object: String
  private(set) var location: StoreLocation

  private static let attemptCountMax = 6

  init(
    _ client: ObjectStoreClient, _ destination: ObjectDestination, key: String
  ) throws(TransferFailure) {
    self.client = client
    self.destination = destination
    self.key = key
    object = "s3://\(destination.prefix.bucket)/\(key)"
    location = try client.locate(destination)
  }

  /// Performs a request until its response says something for good. Blocks.
  func perform(_ request: StoreRequest) throws(TransferFailure) -> StoreVerdict {
    try exchange(request).verdict
  }

  /// The same, with the head of the response.
  ///
  /// - Parameter isRepeated: false for a request whose repetition the caller decides.
  func exchange(
    _ request: StoreRequest, isRepeated: Bool = true
  ) throws(TransferFailure) -> (verdict: StoreVerdict, head: ResponseHead) {
    var attempt = 1
    while true {
      let result = Result { () throws(TransferFailure) in
        try client.exchanges.perform(
          attemptRequest(request), byteCountMax: request.replyByteCountMax)
      }
      let head = (try? result.get())?.head ?? ResponseHead(status: 0, headers: [])
      let verdict = verdict(on: result)
      guard attempt < Self.attemptCountMax else { return (verdict, head) }
      switch verdict {
      case .keysExpired, .otherRegion:
        guard try renew(after: verdict) else { return (verdict, head) }
      case .again where isRepeated: pause(before: attempt)
      case .again, .done, .notFound, .taken, .uploadGone, .refused: return (verdict, head)
      }
      attempt += 1
    }
  }

  /// Blocks for a time that doubles with each attempt.
  func pause(before attempt: Int) {
    let milliseconds = client.pauseMilliseconds << Int64(min(attempt - 1, 5))
    _ = StoreMailbox<Void>().next(milliseconds: milliseconds)
  }

  /// Reads the keys again, or signs for the region that the store has named. Returns whether that
  /// has changed anything.
  func renew(after verdict: StoreVerdict) throws(TransferFailure) -> Bool {
    let known = location
    if case .otherRegion(let region, _) = verdict {
      guard ObjectStoreAccess.isRegion(region) else { return false }
      client.note(region, of: known)
    }
    location = try client.locate(destination)
    if case .otherRegion(let region, _) = verdict { location.login?.signing?.region = region }
    return location != known
  }

  /// The request as the transport sends it.
  func attemptRequest(_ request: StoreRequest) throws(TransferFailure) -> AttemptRequest {
    guard let url = request.url(in: location.bucket) else {
      throw TransferFailure(.storeRefused, on: object, detail: "no URL can have this name")
    }
    var attempt = AttemptRequest(
      id: AttemptID(rawValue: 0), transfer: TransferID(rawValue: 0), url: url,
      headers: request.headers, login: location.login)
    switch request.body {
    case .none:
      attempt.content = request.method == "GET" ? nil : RequestContent(method: request.method)
    case .bytes(let bytes):
      // An upload is completed while the store copies its parts.
      attempt.timeouts.headMilliseconds = 300_000
      attempt.timeouts.idleMilliseconds = 300_000
      attempt.content = RequestContent(method: request.method, body: .bytes(Base64Bytes(bytes)))
      guard let digest = client.ports.digestOfBytes(bytes),
        let field = HeaderField(name: "x-amz-content-sha256", value: digest.hexadecimal)
      else { throw TransferFailure(.storeRefused, on: object, detail: "libcrypto has no SHA-256") }
      attempt.headers.append(field)
    case .file(let part):
      attempt.content = RequestContent(
        method: request.method, body: .file(path: part.path, byteCount: part.fileByteCount),
        rest: RequestContent.Rest(
          offset: part.lower, byteCount: part.upper - part.lower,
          modifiedNanoseconds: part.modifiedNanoseconds))
    }
    return attempt
  }

  // MARK: Judging

  func verdict(on result: Result<StoreReply, TransferFailure>) -> StoreVerdict {
    switch result {
    case .success(let reply): reply.verdict(on: object, region: location.region)
    case .failure(let failure): verdict(on: failure)
    }
  }

  /// What the end of a request without a response means. The subject of a failure of the network is
  /// the host of the store.
  private func verdict(on failure: TransferFailure) -> StoreVerdict {
    switch failure.code {
    case .uploadFileUnusable:
      .refused(
        TransferFailure(.partialFileChanged, on: failure.subject, detail: failure.detail))
    case .cancelled: .refused(failure)
    case .hostNotFound, .nameServerSilent, .connectionRefused, .connectionLost, .timedOut,
      .networkDown, .proxyFailed, .proxyUnreachable, .protocolBroken, .truncated:
      .again(failure, .usual)
    default: .refused(failure)
    }
  }

  /// Why a verdict is not what was hoped for.
  func failure(of verdict: StoreVerdict) -> TransferFailure {
    switch verdict {
    case .uploadGone(let failure), .again(let failure, _), .keysExpired(let failure),
      .otherRegion(_, let failure), .refused(let failure):
      failure
    case .taken: TransferFailure(.nameTaken, on: object)
    case .notFound: contradiction("404")
    case .done: contradiction("its response makes no sense")
    }
  }

  func contradiction(_ words: String) -> TransferFailure {
    TransferFailure(.storeUnavailable, on: object, detail: words)
  }
}
