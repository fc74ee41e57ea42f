import CKettleCurl
import KettleEngine
import KettleModel

/// One exchange: libcurl's easy handle and what its callbacks need.
///
/// libcurl keeps the address of this object, so it is a class, and the loop keeps it until the
/// handle has left the multi handle. Touched by the transport's thread only.
final class CurlAttempt {
  enum Phase {
    /// Until the request can be sent; libcurl's own connect timeout counts.
    case connecting
    case awaitingHead(silentSince: MonotonicTime)
    /// The head was told; nothing of the body came yet.
    case headTold
    /// The head was told; libcurl is paused and holds the first bytes of the body.
    case bodyHeld
    case receiving(any ByteSink)
    /// The sink is full; libcurl is paused, and hands over what it had read by then.
    case blocked(any ByteSink)
    /// A speed limit is used up; libcurl is paused and holds the next bytes.
    case throttled(any ByteSink)
    /// A callback decided how it ends; libcurl hands the attempt back soon.
    case decided(AttemptEnd)

    fileprivate var room: Unmanaged<GrantedRoom>? {
      switch self {
      case .receiving(let sink), .blocked(let sink): sink.room.map(Unmanaged.passUnretained)
      case .connecting, .awaitingHead, .headTold, .bodyHeld, .throttled, .decided: nil
      }
    }
  }

  /// What `verdict(on:)` answers.
  enum Verdict {
    case ended(AttemptEnd)
    /// The head was told and its body is not accepted yet.
    case endedBeforeAccept(AttemptEnd)
  }

  let id: AttemptID
  let transfer: TransferID
  let url: TransferURL
  /// The certificates that it trusts, to be named when they cannot be read.
  let certificates: TrustedCertificates
  private let timeouts: AttemptTimeouts
  let easy: UnsafeMutableRawPointer
  /// libcurl writes the reason of a failure there (CURLOPT_ERRORBUFFER(3)).
  let errorText: UnsafeMutablePointer<CChar>
  var headerList: UnsafeMutablePointer<curl_slist>?
  var addressList: UnsafeMutablePointer<curl_slist>?
  /// The proxy that the way leads through; nil when it leads straight to the server.
  var proxy: ProxyServer?
  var addressGuard: AddressGuard
  /// The address that the latest request went to; nil behind a proxy.
  var peer: IPAddress?
  /// Each keeps the other until the attempt is over: to look at an unowned object is two counts.
  let loop: CurlLoop

  var phase = Phase.connecting { didSet { noteRoom() } }
  /// Of the sink that the phase has, which keeps it; nil while a speed limit has to be asked, and
  /// for a body in chunks, whose pieces are not all data.
  private(set) var room: Unmanaged<GrantedRoom>?
  /// A login takes up to three requests with the server and as many with a proxy.
  static let requestCountMax = 8
  var requestCount = 0
  /// When the first request went out; nil before.
  var headBegunAt: MonotonicTime?
  var headReader = HeadReader()
  /// As the head says; nil before it.
  var bodyEnd: ResponseHead.BodyEnd?
  var talk = TLSTalk()
  let verification: ServerVerification
  var judgement = ServerJudgement.pending
  let certificate: ClientCertificate?
  /// nil when the request has no body.
  var upload: Upload?
  /// Asked with HEAD: whatever the head says, nothing comes behind it.
  let asksForHeadOnly: Bool
  var deliveredByteCount: Int64 = 0
  /// nil when the body does not come in chunks, and before the head.
  var chunks: ChunkDecoder?
  /// How many bytes of the piece that libcurl holds, framing of chunks included, are dealt with.
  var handedOfPiece = 0
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
    timeouts = request.timeouts
    verification = .here(request.serverTrust)
    certificate = request.certificate
    asksForHeadOnly = request.content?.method == "HEAD"
    pace = BodyPace(
      leastByteCount: request.timeouts.slowByteCount,
      windowMilliseconds: request.timeouts.slowMilliseconds)
    self.easy = easy
    self.loop = loop
    errorText = .allocate(capacity: kettle_error_size)
    errorText.initialize(repeating: 0, count: kettle_error_size)
  }

  /// The handle has left the multi handle by now, or was never in it.
  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(headerList)
    curl_slist_free_all(addressList)
    errorText.deallocate()
  }

  /// The attempt that a handle belongs to.
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
  /// Answers what libcurl says of the bytes that it held back.
  func accept(into sink: any ByteSink) -> CURLcode {
    switch phase {
    case .headTold:
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

  /// Answers what libcurl says of bytes that it may have held back. Without effect when the sink
  /// was not full.
  func resumeReceiving() -> CURLcode {
    switch phase {
    case .blocked(let sink):
      receive(into: sink)
      return curl_easy_pause(easy, CURLPAUSE_CONT)
    case .connecting, .awaitingHead, .headTold, .bodyHeld, .receiving, .throttled, .decided:
      return CURLE_OK
    }
  }

  /// Called when the speed limits give enough again. Answers what libcurl says of the bytes that
  /// it held back.
  func goOn() -> CURLcode {
    guard case .throttled(let sink) = phase else { return CURLE_OK }
    receive(into: sink)
    return curl_easy_pause(easy, CURLPAUSE_CONT)
  }

  func receive(into sink: any ByteSink) {
    phase = .receiving(sink)
    pace.run(at: loop.now)
    noteDeadline()
  }

  /// Nothing comes now, and that is not the server's fault.
  func rest(in phase: Phase) {
    self.phase = phase
    pace.rest(at: loop.now)
  }
}

// MARK: - Speed limits

extension CurlAttempt {
  /// Comes after every change of the phase and of the limits, and not with every piece.
  func noteRoom() { room = loop.limits.isEmpty && chunks == nil ? phase.room : nil }
}

// MARK: - Deadlines

extension CurlAttempt {
  /// When the loop should look at it again; nil while it is not the server's turn.
  private var deadline: MonotonicTime? {
    switch phase {
    // libcurl 7.88 wakes up for the next address a moment before it would try it, and then not
    // before the whole time is up.
    case .connecting: loop.now.advanced(byMilliseconds: 500)
    case .awaitingHead(let since): Self.earlier(endOfSilence(since), endOfHead)
    case .receiving: Self.earlier(endOfReceiving, pace.windowEnd)
    case .headTold, .bodyHeld, .blocked, .throttled, .decided: nil
    }
  }

  private static func earlier(_ one: MonotonicTime, _ other: MonotonicTime?) -> MonotonicTime {
    other.map { min(one, $0) } ?? one
  }

  private func endOfSilence(_ since: MonotonicTime) -> MonotonicTime {
    since.advanced(byMilliseconds: max(timeouts.idleMilliseconds, 1))
  }

  /// How long libcurl has to notice that the last chunk came.
  private static let lastChunkMilliseconds: Int64 = 500

  private var endOfReceiving: MonotonicTime {
    chunks?.isComplete == true
      ? pace.silentSince.advanced(byMilliseconds: Self.lastChunkMilliseconds)
      : endOfSilence(pace.silentSince)
  }

  private var endOfHead: MonotonicTime? {
    guard isRequestWhole else { return nil }
    return headBegunAt?.advanced(byMilliseconds: max(timeouts.headMilliseconds, 1))
  }

  /// Returns how the attempt ends without libcurl: as a failure when the server has used up its
  /// time, and as complete when libcurl still waits behind the last chunk. Some releases do not see
  /// the chunks when another coding is named before them. Returns nil when the attempt goes on.
  func endWithoutLibcurl(at now: MonotonicTime) -> AttemptEnd? {
    if case .receiving = phase, chunks?.isComplete == true {
      return endOfReceiving <= now ? end(for: CURLE_OK) : nil
    }
    return overdue(at: now).map(AttemptEnd.failed)
  }

  /// Why the server has used up its time; nil when it has not.
  private func overdue(at now: MonotonicTime) -> TransferFailure? {
    let since: MonotonicTime
    switch phase {
    case .awaitingHead(let silentSince): since = silentSince
    case .receiving: since = pace.silentSince
    case .connecting, .headTold, .bodyHeld, .blocked, .throttled, .decided: return nil
    }
    if endOfSilence(since) <= now {
      return timeout(silence + Self.span(timeouts.idleMilliseconds))
    }
    if case .awaitingHead = phase, let endOfHead, endOfHead <= now {
      return timeout("its head was not whole after " + Self.span(timeouts.headMilliseconds))
    }
    if case .receiving = phase, let byteCount = pace.tooFew(at: now) {
      let span = Self.span(timeouts.slowMilliseconds)
      return timeout("only \(byteCount) bytes came in \(span)")
    }
    return nil
  }

  private var silence: String {
    if case .awaitingHead = phase, !isRequestWhole {
      "it took nothing for "
    } else {
      "nothing came for "
    }
  }

  private func timeout(_ detail: String) -> TransferFailure {
    TransferFailure(.timedOut, on: url.hostAndPort, detail: detail)
  }

  private static func span(_ milliseconds: Int64) -> String {
    milliseconds < 1000 ? "\(milliseconds) milliseconds" : "\(milliseconds / 1000) seconds"
  }

  func noteDeadline() {
    if let deadline { loop.note(deadline) }
  }

  /// The more a read brings, the fewer acknowledgements and wake-ups of the sender there are for
  /// it; what nothing came into costs no memory. The attempts of a transfer have no more together
  /// than the engine allows for (`TransferBody.transportBufferByteCount`). A slow limit gets a
  /// smaller one, because the buffer fills before the limit is asked; not so small that it would be
  /// a burden when the limit is taken away.
  var bufferByteCount: Int64 {
    let wanted = loop.limits.bytesPerSecond(for: transfer).map { $0 / 8 } ?? .max
    return min(max(wanted, 64 << 10), loop.hasAttempt(of: transfer) ? 512 << 10 : 1 << 20)
  }
}
