import KettleModel

/// The redirects that led to a URL. It begins anew with each run, at the URL that the user gave:
/// nothing of it is on record.
package struct RedirectChain: Sendable, Hashable {
  package private(set) var count: Int
  /// Only addresses with at least this reach may be connected to: the reach of the farthest server
  /// that sent one of the redirects. The URL that the user gave may lead anywhere.
  package private(set) var minimumReach: NetworkReach

  /// No redirect.
  package static let none = RedirectChain(count: 0, minimumReach: .machine)

  /// This chain and a redirect sent by a server with this reach.
  func followed(by reach: NetworkReach) -> RedirectChain {
    RedirectChain(count: count + 1, minimumReach: max(minimumReach, reach))
  }

  /// The same for a connection that starts where the redirects led, so that it can be redirected
  /// as often as any.
  var restarted: RedirectChain { RedirectChain(count: 0, minimumReach: minimumReach) }
}
