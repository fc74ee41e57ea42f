/// Compares the secrets that the calls of one message present.
///
/// A batch or a multicall may contain thousands of calls. After a wrong secret nothing of the
/// message is compared, so that a message is one guess; all wrong secrets in it are counted.
package struct SecretCheck: Sendable {
  private let secret: RPCSecret
  private var wrong: Set<String> = []

  /// A higher count makes no difference: `FailureThrottle` does not answer such a message.
  private static let countMax = FailureThrottle.delayedCountMax + 1

  package init(_ secret: RPCSecret) { self.secret = secret }

  /// How many different wrong secrets were presented.
  package var wrongCount: Int { wrong.count }

  /// Whether a call with this secret may be performed.
  package mutating func admits(_ given: String?) -> Bool {
    guard let given else { return false }
    if wrong.isEmpty, secret.matches(given) { return true }
    if wrong.count < Self.countMax { wrong.insert(given) }
    return false
  }
}
