import KettleEngine
import KettleModel

/// The parts of a large file on their way to a store.
struct PartUpload {
  private typealias End = (number: Int, result: Result<StoreReply, TransferFailure>)

  private let client: ObjectStoreClient
  private let file: FileToStore
  private let upload: ObjectUpload
  private let conversation: StoreConversation
  private let layout: PartSending.Layout
  /// The SHA-256 of parts, each computed once.
  private var digests: [Int: [UInt8]] = [:]
  private var attempts: [Int: AttemptID] = [:]
  private let mailbox = StoreMailbox<(number: Int, result: Result<StoreReply, TransferFailure>)>()

  /// How often a store that lists other parts than it took gets them again.
  private static let roundCountMax = 3
  /// How often it is asked whether to go on.
  private static let patienceMilliseconds: Int64 = 500

  init(
    of file: FileToStore, as upload: ObjectUpload, by client: ObjectStoreClient
  ) throws(TransferFailure) {
    self.client = client
    self.file = file
    self.upload = upload
    conversation = try StoreConversation(client, file.destination, key: upload.key)
    layout = PartSending.Layout(byteCount: file.byteCount, partByteCount: upload.partByteCount)
  }

  /// Sends the parts that the store does not have. Blocks until it lists all of them.
  ///
  /// - Parameter advance: is called with the number of bytes that the store has; returns whether to
  ///   go on.
  mutating func run(advance: (Int64) -> Bool) throws(TransferFailure) {
    for _ in 0..<Self.roundCountMax {
      let right = try partsThere(advance: advance)
      if right.count == layout.count {
        guard advance(file.byteCount) else { throw cancelled }
        return
      }
      var sending = PartSending(
        layout, sent: right, pauseMilliseconds: client.pauseMilliseconds)
      try send(&sending, advance: advance)
    }
    throw conversation.contradiction("it lists other parts than it took")
  }

  private var cancelled: TransferFailure { TransferFailure(.cancelled, on: file.path) }

  /// The listed parts that are those of the file: by their size, and where the store keeps digests,
  /// by these.
  private mutating func partsThere(advance: (Int64) -> Bool) throws(TransferFailure) -> Set<Int> {
    var right: Set<Int> = []
    for part in try conversation.parts(of: upload) {
      guard let range = layout.range(part.number), part.byteCount == range.byteCount else {
        continue
      }
      if upload.hasChecksums, let sum = part.sha256 {
        guard sum == Base64Bytes(try digest(of: part.number, range)).text else { continue }
      }
      right.insert(part.number)
      guard advance(min(Int64(right.count) * layout.partByteCount, file.byteCount)) else {
        throw cancelled
      }
    }
    return right
  }

  private mutating func digest(
    of number: Int, _ range: ByteRange
  ) throws(TransferFailure) -> [UInt8] {
    if let digest = digests[number] { return digest }
    let digest = try client.ports.digest(file.path, range)
    digests[number] = digest
    return digest
  }

  // MARK: A round

  /// Sends what is missing, several parts at a time. Throws why one could not be sent.
  private mutating func send(
    _ sending: inout PartSending, advance: (Int64) -> Bool
  ) throws(TransferFailure) {
    while sending.outcome == nil || !attempts.isEmpty {
      for number in sending.begin(at: client.ports.clock.now().monotonic) {
        do throws(TransferFailure) { try begin(number) } catch { give(up: error, &sending) }
        if sending.outcome != nil { break }
      }
      let pause = sending.pauseMilliseconds(at: client.ports.clock.now().monotonic)
      let patience = min(pause ?? Self.patienceMilliseconds, Self.patienceMilliseconds)
      if let end = mailbox.next(milliseconds: max(patience, 1)) {
        attempts[end.number] = nil
        do throws(TransferFailure) { try ended(end, &sending) } catch { give(up: error, &sending) }
      }
      if !advance(sending.sentByteCount) { give(up: cancelled, &sending) }
    }
    if case .failed(let failure)? = sending.outcome { throw failure }
  }

  private mutating func begin(_ number: Int) throws(TransferFailure) {
    guard let range = layout.range(number) else { return }
    let part = StoreRequest.FilePart(
      of: file, lower: range.lower, upper: range.upper, sha256: try digest(of: number, range))
    let request = StoreRequest.part(number, of: upload, part)
    attempts[number] = try client.exchanges.begin(
      conversation.attemptRequest(request), byteCountMax: request.replyByteCountMax
    ) { [mailbox] in mailbox.put((number, $0)) }
  }

  private mutating func ended(
    _ end: End, _ sending: inout PartSending
  ) throws(TransferFailure) {
    let now = client.ports.clock.now().monotonic
    let verdict = conversation.verdict(on: end.result)
    switch verdict {
    case .done: sending.taken(end.number)
    case .again(let failure, let strain):
      sending.failed(end.number, because: failure, strain, at: now)
    case .keysExpired(let failure), .otherRegion(_, let failure):
      // Another part may have renewed them already; each one is tried a few times.
      _ = try conversation.renew(after: verdict)
      sending.failed(end.number, because: failure, .usual, at: now)
    case .notFound:
      give(up: TransferFailure(.uploadGone, on: conversation.object, detail: "404"), &sending)
    case .taken, .uploadGone, .refused: give(up: conversation.failure(of: verdict), &sending)
    }
  }

  /// Cancels what is under way.
  private func give(up failure: TransferFailure, _ sending: inout PartSending) {
    sending.give(up: failure)
    for attempt in attempts.values { client.exchanges.cancel(attempt) }
  }
}

extension StoreConversation {
  /// All parts that the store has of an upload, by their numbers.
  func parts(of upload: ObjectUpload) throws(TransferFailure) -> [StoredPart] {
    var parts: [StoredPart] = []
    while true {
      let marker = parts.last?.number ?? 0
      switch try perform(.list(upload, after: marker)) {
      case .done(let page):
        parts += page.parts.filter { $0.number > marker }
        let goesOn =
          page.value("IsTruncated") == "true" && parts.last?.number ?? 0 > marker
          && parts.count < ObjectUpload.partCountMax
        if !goesOn { return parts }
      case .notFound: throw TransferFailure(.uploadGone, on: object, detail: "404")
      case let verdict: throw failure(of: verdict)
      }
    }
  }
}
