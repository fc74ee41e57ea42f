import KettleModel

/// How the dashboard stands with the service.
package enum LinkState: Hashable, Sendable {
  /// Not connected yet.
  case connecting
  case connected
  /// Connected before; a new connection is being tried.
  case lost(since: MonotonicTime)

  package var isConnected: Bool {
    switch self {
    case .connected: true
    case .connecting, .lost: false
    }
  }
}

/// What the outside tells about the connection.
package enum LinkReport: Hashable, Sendable {
  case connecting, connected, lost
}
