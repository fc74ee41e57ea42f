import KettleModel

/// One connection of a transfer: an attempt and the part of the file that it is to bring.
package struct Lane: Sendable, Hashable {
  package enum Phase: Sendable, Hashable {
    /// The head has not come.
    case asking
    /// The body comes, or will as soon as the partial file is open.
    case flowing
    /// It was cancelled; its end is still to come. What it does not bring is free for others.
    case leaving
  }

  package var attempt: AttemptID
  package var url: TransferURL
  /// What led there.
  package var redirects: RedirectChain
  package var asked: AskedRange?
  /// nil is a plain GET, as every further lane is.
  package var content: RequestContent?
  /// nil until the head tells, and when the size stays unknown.
  package var range: ByteRange?
  /// The lane that brings its range as well, until the head of this one has come: a server that
  /// refuses it takes nothing away.
  package var owner: AttemptID?
  package var phase = Phase.asking
  /// Up to where its body has come, as far as is known.
  package var receivedUpTo: Int64
  /// When its first request or its latest bytes were noted.
  package var lastProgressAt: MonotonicTime
  package private(set) var speed = SpeedEstimator()
  private var sampledAt: MonotonicTime

  /// Two looks at one moment would make a speed out of nothing.
  static let sampleMillisecondsMin: Int64 = 100

  package init(
    attempt: AttemptID, url: TransferURL, redirects: RedirectChain, asked: AskedRange?,
    range: ByteRange?, at now: MonotonicTime
  ) {
    self.attempt = attempt
    self.url = url
    self.redirects = redirects
    self.asked = asked
    self.range = range
    receivedUpTo = range?.lower ?? asked?.lower ?? 0
    lastProgressAt = now
    sampledAt = now
  }

  /// The body comes from now on, and its time counts from now on.
  mutating func flow(_ range: ByteRange?, at now: MonotonicTime) {
    phase = .flowing
    self.range = range
    if let range { receivedUpTo = range.lower }
    lastProgressAt = now
    sampledAt = now
    speed = SpeedEstimator()
    speed.sample(byteCount: receivedUpTo, at: now)
  }

  package var missingByteCount: Int64 { max(0, (range?.upper ?? receivedUpTo) - receivedUpTo) }

  /// How long the rest will take at its speed; nil while nothing tells.
  package var millisecondsLeft: Int64? { millisecondsLeft(for: missingByteCount) }

  /// How long so many bytes will take at its speed; nil while nothing tells.
  func millisecondsLeft(for byteCount: Int64) -> Int64? {
    let perSecond = speed.bytesPerSecond
    guard perSecond > 0 else { return nil }
    let (scaled, overflow) = byteCount.multipliedReportingOverflow(by: 1000)
    return overflow ? .max : scaled / perSecond
  }

  mutating func progressed(to upTo: Int64, at now: MonotonicTime) {
    if upTo > receivedUpTo {
      receivedUpTo = upTo
      lastProgressAt = now
    }
    guard phase == .flowing,
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
