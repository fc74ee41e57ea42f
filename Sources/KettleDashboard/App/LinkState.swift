import KettleModel

/// The state of the connection to the service.
package enum LinkState: Hashable, Sendable {
  /// Not connected yet.
  case connecting
  case connected
  /// Was connected before; the dashboard is trying to reconnect.
  case lost(since: MonotonicTime)

  package var isConnected: Bool {
    switch self {
    case .connected: true
    case .connecting, .lost: false
    }
  }
}

/// A report about the connection from outside the model.
package enum LinkReport: Hashable, Sendable {
  case connecting, connected, lost
}
