/// The URL of a source, and how near the address may be that it leads to.
///
/// Invariant: a URL that a server has named has the reach of the farthest server in the chain that
/// led to it, and keeps it in the record. A public server therefore cannot direct a transfer into
/// the user's network: not by a Metalink, a playlist, a checksum list, a `Link` header or a
/// redirect of any of them, not after a restart, and not as a second source when the first one
/// fails. The address that is connected to decides, not the text of the URL.
public struct ChainedURL: Hashable, Sendable, Codable {
  public let url: TransferURL
  /// Only addresses with at least this reach may be connected to.
  public let minimumReach: NetworkReach

  /// A URL of the user, which may lead anywhere.
  public init(given url: TransferURL) {
    self.url = url
    minimumReach = .machine
  }

  /// A URL that a server has named.
  ///
  /// - Parameter reach: that of the farthest server of the chain.
  public init(_ url: TransferURL, namedBy reach: NetworkReach) {
    self.url = url
    minimumReach = reach
  }
}
