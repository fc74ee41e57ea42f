import KettleModel

/// How the transfers of one session are treated.
package struct SessionPolicy: Sendable, Hashable {
  /// Connections to one host, of all transfers of the session together; nil is the common limit.
  package var connectionsPerHostMax: Int?
  /// Certificates that the system trusts are shown to the program as well.
  package var asksServerTrust: Bool

  package init(connectionsPerHostMax: Int? = nil, asksServerTrust: Bool = false) {
    self.connectionsPerHostMax = connectionsPerHostMax
    self.asksServerTrust = asksServerTrust
  }
}

extension SessionPolicy {
  /// What the options of a session come to while its program is connected, or is not.
  package init(_ options: SessionOptions, isConnected: Bool) {
    self.init(
      connectionsPerHostMax: options.connectionsPerHostMax,
      asksServerTrust: isConnected ? options.asksServerTrust : options.asksServerTrustAlways)
  }
}

extension SessionOptions {
  /// Whether the program is asked also while it is not connected.
  var asksServerTrustAlways: Bool { asksServerTrust && asksServerTrustWhenAway != false }
}
