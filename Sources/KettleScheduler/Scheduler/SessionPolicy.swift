import KettleModel

/// How the transfers of one session are treated.
package struct SessionPolicy: Sendable, Hashable {
  /// Connections to one host for all transfers of the session together; nil means the common limit.
  package var connectionsPerHostMax: Int?
  /// Whether the program also judges certificates that the system trusts.
  package var asksServerTrust: Bool

  package init(connectionsPerHostMax: Int? = nil, asksServerTrust: Bool = false) {
    self.connectionsPerHostMax = connectionsPerHostMax
    self.asksServerTrust = asksServerTrust
  }
}

extension SessionPolicy {
  /// The effective policy of a session's options, depending on whether its program is connected.
  package init(_ options: SessionOptions, isConnected: Bool) {
    self.init(
      connectionsPerHostMax: options.connectionsPerHostMax,
      asksServerTrust: isConnected ? options.asksServerTrust : options.asksServerTrustAlways)
  }
}

extension SessionOptions {
  /// Whether the program is consulted even while it is not connected.
  var asksServerTrustAlways: Bool { asksServerTrust && asksServerTrustWhenAway != false }
}
