import CKettleCurl
import KettleEngine
import KettleModel

/// One exchange: libcurl's easy handle and the state that its callbacks need.
///
/// libcurl stores the address of this object, so it is a class, and the loop retains it until the
/// handle has left the multi handle. Used by the transport's thread only.
final class CurlAttempt {
  enum Phase {
    /// Until the request can be sent; libcurl's own connect timeout applies.
    case connecting
    case awaitingHead(silentSince: MonotonicTime)
    /// The head was reported; no body bytes have arrived.
    case headReported
    /// The head was reported; libcurl is paused and holds the first bytes of the body.
    case bodyHeld
    case receiving(any ByteSink)
    /// The sink is full; libcurl is paused, and still delivers what it had already read.
    case blocked(any ByteSink)
    /// A speed limit is exhausted; libcurl is paused and holds the next bytes.
    case throttled(any ByteSink)
    /// A callback decided the end; libcurl returns the attempt soon.
    case decided(AttemptEnd)
  }

  /// The result of `verdict(on:)`.
  enum Verdict {
    case ended(AttemptEnd)
    /// The head was reported and its body is not accepted yet.
    case endedBeforeAccept(AttemptEnd)
  }

  let id: AttemptID
  let transfer: TransferID
  let url: TransferURL
  /// The trusted certificates, for an error when they cannot be read.
  let certificates: TrustedCertificates
  private let timeouts: AttemptTimeouts
  let easy: UnsafeMutableRawPointer
  /// libcurl writes the reason of a failure here (CURLOPT_ERRORBUFFER(3)).
  let errorText: UnsafeMutablePointer<CChar>
  var headerList: UnsafeMutablePointer<curl_slist>?
  var addressList: UnsafeMutablePointer<curl_slist>?
  /// Sent to an FTP server before the file is requested.
  var commandList: UnsafeMutablePointer<curl_slist>?
  /// The proxy of this attempt; nil for a direct connection.
  var proxy: ProxyServer?
  var addressGuard: AddressGuard
  var addresses: AddressChoice
  /// The sockets for which addresses were allowed. libcurl may have closed any of them.
  var sockets: [(descriptor: Int32, address: IPAddress)] = []
  /// The address that received the latest request; nil behind a proxy.
  var peer: IPAddress?
  /// A reference cycle until the attempt is over: reading an unowned reference costs two count
  /// operations.
  let loop: CurlLoop

  var phase = Phase.connecting
  /// A login takes up to three requests with the server and as many with a proxy.
  static let requestCountMax = 8
  var requestCount = 0
  /// When the first request was sent; nil before.
  var headStartedAt: MonotonicTime?
  /// nil before it arrives.
  var firstHeadByteAt: MonotonicTime?
  /// nil where a connection is opened only once.
  var tries: EstablishingTries?
  /// Why the file that may supply the login was not read; nil if it was, or there is none.
  var netrcProblem: String?
  var headReader = HeadReader()
  /// As declared by the head; nil before it.
  var bodyEnd: ResponseHead.BodyEnd?
  var handshake = TLSHandshakeObserver()
  let verification: ServerVerification
  var judgement = ServerJudgement.pending
  let certificate: ClientCertificate?
  /// Whether the request names the authorities to trust.
  let hasOwnAuthority: Bool
  /// nil when the server speaks HTTP.
  var file: FileExchange?
  /// nil when the request has no body.
  var upload: Upload?
  /// Whether what it took is reported.
  let isMeasured: Bool
  /// A HEAD request: no body follows, whatever the head says.
  let asksForHeadOnly: Bool
  var deliveredByteCount: Int64 = 0
  /// nil when the body is not chunked, and before the head.
  var chunks: ChunkDecoder?
  /// How many bytes of libcurl's current piece have been processed, chunk framing included.
  var processedOfPiece = 0
  var pace: BodyPace

  init(
    _ request: AttemptRequest, easy: UnsafeMutableRawPointer, certificates: TrustedCertificates,
    knownScopes: [IPAddress: AddressScope], loop: CurlLoop
  ) {
    id = request.id
    transfer = request.transfer
    url = request.url
    self.certificates = certificates
    addressGuard = AddressGuard(minimumReach: request.minimumReach, knownScopes: knownScopes)
    addresses = AddressChoice(
      isPossible: Self.mayMove(request),
      idleMilliseconds: min(
        request.timeouts.idleMilliseconds, request.timeouts.connectMilliseconds))
    timeouts = request.timeouts
    verification = .here(request.serverTrust)
    certificate = request.certificate
    hasOwnAuthority = request.caCertificatePath != nil
    isMeasured = request.isMeasured
    asksForHeadOnly = request.content?.method == "HEAD"
    tries = request.timeouts.establishMilliseconds.map {
      EstablishingTries(
        milliseconds: $0, total: request.timeouts.connectMilliseconds, at: loop.now)
    }
    pace = BodyPace(
      leastByteCount: request.timeouts.slowByteCount,
      windowMilliseconds: request.timeouts.slowMilliseconds)
    self.easy = easy
    self.loop = loop
    errorText = .allocate(capacity: kettle_error_size)
    errorText.initialize(repeating: 0, count: kettle_error_size)
  }

  /// The handle has left the multi handle, or was never in it.
  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(headerList)
    curl_slist_free_all(addressList)
    curl_slist_free_all(commandList)
    errorText.deallocate()
  }

  /// Returns the attempt that a handle belongs to.
  static func of(_ easy: UnsafeMutableRawPointer?) -> CurlAttempt? {
    var context: UnsafeMutableRawPointer?
    guard let easy, kettle_easy_get_pointer(easy, CURLINFO_PRIVATE, &context) == CURLE_OK else {
      return nil
    }
    return of(context: context)
  }

  static func of(context: UnsafeMutableRawPointer?) -> CurlAttempt? {
    context.map { Unmanaged<CurlAttempt>.fromOpaque($0).takeUnretainedValue() }
  }
}

// MARK: - Commands

extension CurlAttempt {
  /// Returns libcurl's code for the bytes that it held back.
  func accept(into sink: any ByteSink) -> CURLcode {
    switch phase {
    case .headReported:
      receive(into: sink)
      return CURLE_OK
    case .bodyHeld:
      receive(into: sink)
      return curl_easy_pause(easy, CURLPAUSE_CONT)
    case .decided: return CURLE_OK
    case .connecting, .awaitingHead, .receiving, .blocked, .throttled:
      preconditionFailure(
        "`accept` must be called once, after `headReceived`. Invalid phase: \(phase)")
    }
  }

  /// Returns libcurl's code for bytes that it may have held back. Does nothing if the sink was not
  /// full.
  func resumeReceiving() -> CURLcode {
    switch phase {
    case .blocked(let sink):
      receive(into: sink)
      return curl_easy_pause(easy, CURLPAUSE_CONT)
    case .connecting, .awaitingHead, .headReported, .bodyHeld, .receiving, .throttled, .decided:
      return CURLE_OK
    }
  }

  /// Called when the speed limits allow more. Returns libcurl's code for the bytes that it held
  /// back.
  func resumeThrottled() -> CURLcode {
    guard case .throttled(let sink) = phase else { return CURLE_OK }
    receive(into: sink)
    return curl_easy_pause(easy, CURLPAUSE_CONT)
  }

  func receive(into sink: any ByteSink) {
    phase = .receiving(sink)
    pace.start(at: loop.now)
    scheduleDeadline()
  }

  /// Enters a phase in which nothing can arrive, through no fault of the server.
  func pause(in phase: Phase) {
    self.phase = phase
    pace.pause(at: loop.now)
  }
}

// MARK: - Deadlines

extension CurlAttempt {
  /// When the loop should check this attempt again; nil while it does not wait for the server.
  private var deadline: MonotonicTime? {
    switch phase {
    // libcurl 7.88 wakes up for the next address a moment before it would try it, and then not
    // before the whole timeout has passed.
    case .connecting: loop.now.advanced(byMilliseconds: 500)
    case .awaitingHead(let since):
      Self.earlier(Self.earlier(endOfSilence(since), endOfHead), endOfPatience)
    case .receiving: Self.earlier(endOfReceiving, pace.windowEnd)
    case .headReported, .bodyHeld, .blocked, .throttled, .decided: nil
    }
  }

  private static func earlier(_ one: MonotonicTime, _ other: MonotonicTime?) -> MonotonicTime {
    other.map { min(one, $0) } ?? one
  }

  private func endOfSilence(_ since: MonotonicTime) -> MonotonicTime {
    since.advanced(byMilliseconds: max(timeouts.idleMilliseconds, 1))
  }

  /// How long libcurl has to notice the last chunk.
  private static let lastChunkMilliseconds: Int64 = 500

  /// How long an FTP server has to close the data connection after the last announced byte.
  private static let endOfFileMilliseconds: Int64 = 10_000

  private var endOfReceiving: MonotonicTime {
    if chunks?.isComplete == true {
      return pace.silentSince.advanced(byMilliseconds: Self.lastChunkMilliseconds)
    }
    let end = endOfSilence(pace.silentSince)
    guard awaitsEndOfFile else { return end }
    return min(end, pace.silentSince.advanced(byMilliseconds: Self.endOfFileMilliseconds))
  }

  private var endOfHead: MonotonicTime? {
    guard isRequestWhole else { return nil }
    return headStartedAt?.advanced(byMilliseconds: max(timeouts.headMilliseconds, 1))
  }

  /// Returns how the attempt ends without libcurl: as a failure when the server has exceeded its
  /// time, and as complete when libcurl still waits after the last byte: some releases do not
  /// recognize the last chunk when another coding is named before it, and some FTP servers leave
  /// the data connection open. Returns nil when the attempt continues.
  func endWithoutLibcurl(at now: MonotonicTime) -> AttemptEnd? {
    if case .receiving = phase, chunks?.isComplete == true || awaitsEndOfFile {
      return endOfReceiving <= now ? end(for: CURLE_OK) : nil
    }
    return overdue(at: now).map(AttemptEnd.failed)
  }

  /// Returns the failure if the server has exceeded its time, else nil.
  private func overdue(at now: MonotonicTime) -> TransferFailure? {
    let since: MonotonicTime
    switch phase {
    case .awaitingHead(let silentSince): since = silentSince
    case .receiving: since = pace.silentSince
    case .connecting, .headReported, .bodyHeld, .blocked, .throttled, .decided: return nil
    }
    if endOfSilence(since) <= now {
      if case .awaitingHead = phase, file?.replies.isAwaitingDataConnection == true {
        return noDataConnection
      }
      return timeout(silence + Self.span(timeouts.idleMilliseconds))
    }
    if case .awaitingHead = phase, let endOfHead, endOfHead <= now {
      return timeout("its headers were not complete after " + Self.span(timeouts.headMilliseconds))
    }
    if case .receiving = phase, let byteCount = pace.shortfall(at: now) {
      let span = Self.span(timeouts.slowMilliseconds)
      return timeout("only \(byteCount) bytes came in \(span)")
    }
    return nil
  }

  private var silence: String {
    if case .awaitingHead = phase, !isRequestWhole {
      "it accepted no data for "
    } else {
      "no data arrived for "
    }
  }

  private func timeout(_ detail: String) -> TransferFailure {
    TransferFailure(.timedOut, on: url.hostAndPort, detail: detail)
  }

  private static func span(_ milliseconds: Int64) -> String {
    milliseconds < 1000 ? "\(milliseconds) milliseconds" : "\(milliseconds / 1000) seconds"
  }

  func scheduleDeadline() {
    if let deadline { loop.scheduleCheck(at: deadline) }
  }

  /// The more a read brings, the fewer acknowledgements and sender wake-ups it costs; unused buffer
  /// space costs no memory. A slow limit gets a smaller buffer, because the
  /// buffer fills before the limit is checked, but not so small that it would be a burden once the
  /// limit is removed.
  var bufferByteCount: Int64 {
    let wanted = loop.limits.bytesPerSecond(for: transfer).map { $0 / 8 } ?? .max
    return min(max(wanted, 64 << 10), loop.hasAttempt(of: transfer) ? 512 << 10 : 1 << 20)
  }
}
