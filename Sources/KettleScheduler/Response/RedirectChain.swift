import KettleModel

/// The redirects that led to a URL. Each run begins with the chain of its source; a source keeps
/// the reach of those that have named it (`ChainedURL`), and nothing else of a chain is recorded.
package struct RedirectChain: Sendable, Hashable {
  package private(set) var count: Int
  /// Only addresses with at least this reach may be connected to: the reach of the farthest server
  /// that sent one of the redirects. The user's own URL may lead anywhere.
  package private(set) var minimumReach: NetworkReach

  init(count: Int, minimumReach: NetworkReach) {
    self.count = count
    self.minimumReach = minimumReach
  }

  /// No redirect yet on the way to a source.
  package init(to source: ChainedURL) {
    self.init(count: 0, minimumReach: source.minimumReach)
  }

  /// This chain plus a redirect from a server with this reach.
  func followed(by reach: NetworkReach) -> RedirectChain {
    RedirectChain(count: count + 1, minimumReach: max(minimumReach, reach))
  }

  /// The same for a connection that starts at the redirects' target, which may be redirected as
  /// often as any.
  var restarted: RedirectChain { RedirectChain(count: 0, minimumReach: minimumReach) }
}
