/// Decides when the requests of the program are sent: as soon as it has made none for a moment, so
/// that a loop over thousands of tasks leaves in one message.
struct RequestGathering: Sendable {
  private enum Phase {
    /// Nothing was requested since the last send.
    case idle
    /// `serial` is the newest request, which was noticed at `changedAt`.
    case gathering(
      since: ContinuousClock.Instant, changedAt: ContinuousClock.Instant, serial: Int64)
  }

  private var phase = Phase.idle

  /// How long the program must have requested nothing.
  static let pause = Duration.milliseconds(2)
  /// The longest time for which a request is held back.
  static let delayMax = Duration.milliseconds(250)

  enum Decision: Hashable {
    /// There is nothing to send.
    case nothing
    case wait
    case send
  }

  /// - Parameters:
  ///   - lastSerial: the newest request; nil when none waits to be sent.
  ///   - isUrgent: the program is ending.
  mutating func decide(
    lastSerial: Int64?, isUrgent: Bool, at now: ContinuousClock.Instant
  ) -> Decision {
    guard let lastSerial else {
      phase = .idle
      return .nothing
    }
    switch phase {
    case _ where isUrgent: break
    case .idle:
      phase = .gathering(since: now, changedAt: now, serial: lastSerial)
      return .wait
    case .gathering(let since, let changedAt, let serial):
      let isQuiet = serial == lastSerial && now - changedAt >= Self.pause
      guard isQuiet || now - since >= Self.delayMax else {
        let changedAt = serial == lastSerial ? changedAt : now
        phase = .gathering(since: since, changedAt: changedAt, serial: lastSerial)
        return .wait
      }
    }
    phase = .idle
    return .send
  }
}
