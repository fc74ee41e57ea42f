import KettleModel

/// How the transfers of one session are treated.
package struct SessionPolicy: Sendable, Hashable {
  /// Connections to one host for all transfers of the session together; nil means the common limit.
  package var connectionsPerHostMax: Int?
  /// Whether the program also judges certificates that the system trusts.
  package var asksServerTrust: Bool
  /// Whether the program decides if a task may begin at its date.
  package var asksBeforeBeginning: Bool

  package init(
    connectionsPerHostMax: Int? = nil, asksServerTrust: Bool = false,
    asksBeforeBeginning: Bool = false
  ) {
    self.connectionsPerHostMax = connectionsPerHostMax
    self.asksServerTrust = asksServerTrust
    self.asksBeforeBeginning = asksBeforeBeginning
  }
}

extension SessionPolicy {
  /// The effective policy of a session's options.
  ///
  /// - Parameters:
  ///   - isConnected: whether its program is connected.
  ///   - isExpected: whether the program connects or is launched when there is a question.
  package init(_ options: SessionOptions, isConnected: Bool, isExpected: Bool = false) {
    self.init(
      connectionsPerHostMax: options.connectionsPerHostMax,
      asksServerTrust: isConnected ? options.asksServerTrust : options.asksServerTrustAlways,
      asksBeforeBeginning: isConnected
        || isExpected && options.asksBeforeBeginningWhenAway != false)
  }
}

extension SessionOptions {
  /// Whether the program is consulted even while it is not connected.
  var asksServerTrustAlways: Bool { asksServerTrust && asksServerTrustWhenAway != false }
}
