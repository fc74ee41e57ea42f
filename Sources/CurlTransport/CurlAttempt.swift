import CCurl
import TransferEngine
import TransferModel

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
    case receiving(any ByteSink, silentSince: MonotonicTime)
    /// The sink was full; libcurl is paused and holds what it did not take.
    case blocked(any ByteSink)
    /// The speed limit is used up; libcurl is paused and holds the next bytes.
    case throttled(any ByteSink, until: MonotonicTime)
    /// A callback gave up; libcurl hands the attempt back soon.
    case givenUp(AttemptEnd)
  }

  /// When the attempt does something by itself.
  enum Deadline {
    /// It has been silent for too long.
    case silence(MonotonicTime)
    /// It may take bytes again.
    case goesOn(MonotonicTime)

    var time: MonotonicTime {
      switch self {
      case .silence(let time), .goesOn(let time): time
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
  let url: TransferURL
  /// The certificates that it trusts, to be named when they cannot be read.
  let certificates: TrustedCertificates
  private let silenceMilliseconds: Int64
  let easy: UnsafeMutableRawPointer
  /// libcurl writes the reason of a failure there (CURLOPT_ERRORBUFFER(3)).
  let errorText: UnsafeMutablePointer<CChar>
  var headerList: UnsafeMutablePointer<curl_slist>?
  unowned let loop: CurlLoop

  var phase = Phase.connecting
  var speedLimit: SpeedLimit?
  var headReader = HeadReader()
  /// As the head says; nil before it.
  var bodyEnd: ResponseHead.BodyEnd?
  /// The server said in TLS that it sends no more (close_notify, RFC 8446, section 6.1).
  var isClosedByServer = false
  var deliveredByteCount: Int64 = 0

  init(
    _ request: AttemptRequest, easy: UnsafeMutableRawPointer, certificates: TrustedCertificates,
    loop: CurlLoop
  ) {
    id = request.id
    url = request.url
    self.certificates = certificates
    silenceMilliseconds = max(request.timeouts.idleMilliseconds, 1)
    speedLimit = SpeedLimit(bytesPerSecond: request.limitBytesPerSecond)
    self.easy = easy
    self.loop = loop
    errorText = .allocate(capacity: kettle_error_size)
    errorText.initialize(repeating: 0, count: kettle_error_size)
  }

  /// The handle has left the multi handle by now, or was never in it.
  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(headerList)
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
    case .givenUp: return CURLE_OK
    case .connecting, .awaitingHead, .receiving, .blocked, .throttled:
      preconditionFailure(
        "`accept` must be called once, after `headReceived`. Invalid phase: \(phase)")
    }
  }

  /// Answers what libcurl says of the bytes that it held back. Without effect when the sink was
  /// not full.
  func resumeReceiving() -> CURLcode {
    switch phase {
    case .blocked(let sink):
      receive(into: sink)
      return curl_easy_pause(easy, CURLPAUSE_CONT)
    case .connecting, .awaitingHead, .headTold, .bodyHeld, .receiving, .throttled, .givenUp:
      return CURLE_OK
    }
  }

  /// Called when `Deadline.goesOn` has come. Answers what libcurl says of the bytes that it held
  /// back.
  func goOn() -> CURLcode {
    guard case .throttled(let sink, _) = phase else { return CURLE_OK }
    receive(into: sink)
    return curl_easy_pause(easy, CURLPAUSE_CONT)
  }

  private func receive(into sink: any ByteSink) {
    phase = .receiving(sink, silentSince: loop.now)
    noteDeadline()
  }
}

// MARK: - Deadlines

extension CurlAttempt {
  /// nil while it is not the server's turn.
  var deadline: Deadline? {
    switch phase {
    case .awaitingHead(let since), .receiving(_, let since):
      .silence(since.advanced(byMilliseconds: silenceMilliseconds))
    case .throttled(_, let until): .goesOn(until)
    case .connecting, .headTold, .bodyHeld, .blocked, .givenUp: nil
    }
  }

  var silenceFailure: TransferFailure {
    let time =
      silenceMilliseconds < 1000
      ? "\(silenceMilliseconds) milliseconds" : "\(silenceMilliseconds / 1000) seconds"
    return TransferFailure(.timedOut, on: url.hostAndPort, detail: "nothing came for \(time)")
  }

  func noteDeadline() {
    if let deadline { loop.note(deadline.time) }
  }

  /// 512 KiB is the most that libcurl 7.88 takes: fewer reads, 0.57 of curl's CPU time.
  var bufferByteCount: Int64 { min(speedLimit?.bufferByteCount ?? .max, 512 * 1024) }
}
