import KettleModel

/// One connection of a download: an attempt and the byte range that it fetches.
package struct DownloadConnection: Sendable, Hashable {
  package enum Phase: Sendable, Hashable {
    /// The head has not arrived.
    case requesting
    /// The body arrives, or will once the partial file is open.
    case receiving
    /// It was cancelled and its end is pending. Bytes that it does not deliver are free for others.
    case closing
  }

  package var attempt: AttemptID
  package var url: TransferURL
  /// The redirects that led there.
  package var redirects: RedirectChain
  package var requested: RequestedRange?
  /// nil means a plain GET, as for every further connection.
  package var content: RequestContent?
  /// `none` for every further connection.
  package var streamUse = StreamUse.none
  /// nil before the head arrives, and while the size is unknown.
  package var range: ByteRange?
  /// The connection that fetches the same range until this one's head arrives: a refusal by the
  /// server loses nothing.
  package var owner: AttemptID?
  /// The silent connection whose part it fetches as well.
  package var replaces: AttemptID?
  /// The connection that answered while this one was silent.
  package var replacedBy: AttemptID?
  /// Where it fetches from.
  package var source = MirrorTable.SourceID.user
  /// What the server of a mirror says about the file.
  var offered: Validator?
  package var phase = Phase.requesting
  /// The known end of the received part of its body.
  package var receivedUpTo: Int64
  /// When its request began or its latest bytes were recorded.
  package var lastProgressAt: MonotonicTime
  /// When its request began.
  package let begunAt: MonotonicTime
  /// When the network changed; cleared by the next bytes.
  private(set) var suspectSince: MonotonicTime?
  /// When its progress was last read.
  private var observedAt: MonotonicTime
  package private(set) var speed = SpeedEstimator()
  private var sampledAt: MonotonicTime

  /// Two samples at almost the same time would yield a meaningless speed.
  static let sampleMillisecondsMin: Int64 = 100

  package init(
    attempt: AttemptID, url: TransferURL, redirects: RedirectChain, requested: RequestedRange?,
    range: ByteRange?, at now: MonotonicTime
  ) {
    self.attempt = attempt
    self.url = url
    self.redirects = redirects
    self.requested = requested
    self.range = range
    receivedUpTo = range?.lower ?? requested?.lower ?? 0
    lastProgressAt = now
    begunAt = now
    observedAt = now
    sampledAt = now
  }

  /// Whether it fetches only bytes that are present, to compare them.
  package var isSample: Bool {
    guard let comparedUpTo = requested?.comparedUpTo else { return false }
    return requested?.upper == comparedUpTo
  }

  /// Whether any byte of its body has arrived.
  var hasDelivered: Bool {
    phase == .receiving && receivedUpTo > (range?.lower ?? requested?.lower ?? 0)
  }

  /// The network has changed, and with it perhaps the path of this connection.
  mutating func suspect(at now: MonotonicTime) { suspectSince = now }

  /// How long it has certainly delivered nothing since the network changed; nil while it is not
  /// suspect. Its bytes are counted only when its progress is read.
  func suspectMilliseconds(at now: MonotonicTime) -> Int64? {
    guard let suspectSince else { return nil }
    return (phase == .receiving ? observedAt : now).milliseconds(since: suspectSince)
  }

  /// Records that the body arrives from now on; its speed counts from now on.
  mutating func receive(_ range: ByteRange?, at now: MonotonicTime) {
    phase = .receiving
    suspectSince = nil
    self.range = range
    if let range { receivedUpTo = range.lower }
    lastProgressAt = now
    sampledAt = now
    speed = SpeedEstimator()
    speed.sample(byteCount: receivedUpTo, at: now)
  }

  package var missingByteCount: Int64 { max(0, (range?.upper ?? receivedUpTo) - receivedUpTo) }

  /// How long the rest will take at its speed; nil while the speed is unknown.
  package var millisecondsLeft: Int64? { millisecondsLeft(for: missingByteCount) }

  /// How long this many bytes will take at its speed; nil while the speed is unknown.
  func millisecondsLeft(for byteCount: Int64) -> Int64? {
    let perSecond = speed.bytesPerSecond
    guard perSecond > 0 else { return nil }
    let (scaled, overflow) = byteCount.multipliedReportingOverflow(by: 1000)
    return overflow ? .max : scaled / perSecond
  }

  mutating func recordProgress(to upTo: Int64, at now: MonotonicTime) {
    observedAt = now
    if upTo > receivedUpTo {
      receivedUpTo = upTo
      lastProgressAt = now
      suspectSince = nil
    }
    guard phase == .receiving,
      now.milliseconds(since: sampledAt) >= Self.sampleMillisecondsMin
    else { return }
    speed.sample(byteCount: receivedUpTo, at: now)
    sampledAt = now
  }

  mutating func shorten(to upper: Int64) {
    guard let range else { return }
    self.range = ByteRange(lower: range.lower, upper: max(range.lower, upper)) ?? range
  }
}

/// Whether a request may share its connection with others, as a stream of HTTP/2.
package enum StreamUse: Sendable, Hashable {
  /// HTTP/1.1, on a connection that carries nothing else meanwhile.
  case none
  /// Offers HTTP/2 to find out whether the origin has it. The transfer has a slot like any other.
  case trial
  /// Runs beside the slots, on the connection that the streams of its origin share.
  case beside
}

extension ResponseHead {
  /// A body that is worth a stream. As large as one that flows into memory, so that a stream waits
  /// neither for the disk nor for a window.
  static let streamByteCountMax: Int64 = 256 << 10

  /// Whether it announces a whole file that is small.
  var isOfSmallFile: Bool {
    guard status == 200, let length = value(of: "Content-Length")?.trimmed,
      let byteCount = Int64(length)
    else { return false }
    return (0...Self.streamByteCountMax).contains(byteCount)
  }

  /// Whether another request certainly gets the same: links that work only once are served by
  /// programs, which give no validator.
  fileprivate var isRepeatable: Bool {
    switch status {
    case 200..<300: value(of: "ETag") != nil || value(of: "Last-Modified") != nil
    default: true
    }
  }
}

// MARK: - Leaving a stream

extension ActiveDownload {
  /// Returns the end of a stream whose response belongs on a connection of its own: a large file,
  /// or anything but a file. The transfer is queued again and then uses HTTP/1.1. Returns nil when
  /// the response is taken as it is.
  func leavingStream(
    of primary: DownloadConnection, because response: Response, _ facts: inout TransferFacts
  ) -> Step? {
    let head = response.head
    switch primary.streamUse {
    case .none: return nil
    // With a slot, everything but a large body is treated as on any other connection.
    case .trial:
      guard response.isStream, (200..<300).contains(head.status) else { return nil }
    case .beside: break
    }
    guard !head.isOfSmallFile, head.isRepeatable else { return nil }
    return leavingStream(&facts)
  }

  /// Returns what follows when a stream broke: nothing of it counts as a retry, because one broken
  /// connection ends all its streams. Returns nil for other connections.
  func leavingStream(
    of connection: DownloadConnection, after failure: TransferFailure,
    _ facts: inout TransferFacts
  ) -> Step? {
    guard activeCount == 0 else { return nil }
    switch connection.streamUse {
    case .none: return nil
    case .trial:
      guard connection.phase == .requesting, failure.mayBeTheStream else { return nil }
    case .beside: break
    }
    return leavingStream(&facts)
  }

  private func leavingStream(_ facts: inout TransferFacts) -> Step {
    facts.repetitions.recordLeftStream()
    return .end(.queued)
  }
}

extension TransferFailure {
  /// Whether HTTP/2 may be the cause, so that HTTP/1.1 could work.
  var mayBeTheStream: Bool { code == .protocolBroken || code == .connectionLost }
}
