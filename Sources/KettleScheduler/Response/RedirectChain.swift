import KettleModel

/// The redirects that led to a URL. Each run begins with an empty chain, at the user's URL; nothing
/// of it is recorded.
package struct RedirectChain: Sendable, Hashable {
  package private(set) var count: Int
  /// Only addresses with at least this reach may be connected to: the reach of the farthest server
  /// that sent one of the redirects. The user's own URL may lead anywhere.
  package private(set) var minimumReach: NetworkReach

  /// The chain of a request that goes straight to where redirects with this reach led before.
  static func behind(_ reach: NetworkReach) -> RedirectChain {
    RedirectChain(count: 0, minimumReach: reach)
  }

  /// No redirect.
  package static let none = RedirectChain(count: 0, minimumReach: .machine)

  /// This chain plus a redirect from a server with this reach.
  func followed(by reach: NetworkReach) -> RedirectChain {
    RedirectChain(count: count + 1, minimumReach: max(minimumReach, reach))
  }

  /// The same for a connection that starts at the redirects' target, which may be redirected as
  /// often as any.
  var restarted: RedirectChain { RedirectChain(count: 0, minimumReach: minimumReach) }
}
