import KettleModel

/// Slows down peers that present wrong secrets.
package struct FailureThrottle: Sendable {
  /// How many answers a peer may be waiting for.
  package static let delayedCountMax = 8
  package static let delayMilliseconds: Int64 = 1000
  private static let peerCountMax = 1024

  package enum Verdict: Hashable, Sendable {
    /// Answer after this time.
    case later(milliseconds: Int64)
    /// Close the connection: too many answers are pending.
    case tooMany
  }

  private var delayed: [String: Int] = [:]

  package init() {}

  /// Decides about the answer to a message with wrong secrets.
  ///
  /// - Parameters:
  ///   - peer: the address without the port.
  ///   - secretCount: how many different ones the message has; 0 for one without a secret.
  package mutating func noteFailure(of peer: String, secretCount: Int = 1) -> Verdict {
    let count = delayed[peer] ?? 0
    guard secretCount <= Self.delayedCountMax, count < Self.delayedCountMax,
      count > 0 || delayed.count < Self.peerCountMax
    else { return .tooMany }
    delayed[peer] = count + 1
    return .later(milliseconds: Self.delayMilliseconds * Int64(max(1, secretCount)))
  }

  /// The answer was sent, or its connection is gone.
  package mutating func noteAnswer(to peer: String) {
    guard let count = delayed[peer] else { return }
    delayed[peer] = count > 1 ? count - 1 : nil
  }
}
