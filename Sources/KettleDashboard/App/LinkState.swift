import KettleModel

/// The state of the connection to the service.
package enum LinkState: Hashable, Sendable {
  /// Not connected yet.
  case connecting
  case connected
  /// Was connected before; the dashboard is trying to reconnect.
  case lost(since: MonotonicTime)
  /// Was connected before; the service is there, but does not answer.
  case silent(since: MonotonicTime)
  /// Was connected before; the user has stopped the service.
  case stopped(at: WallTime)

  package var isConnected: Bool {
    switch self {
    case .connected: true
    case .connecting, .lost, .silent, .stopped: false
    }
  }
}

/// A report about the connection from outside the model.
package enum LinkReport: Hashable, Sendable {
  case connecting, connected, lost
  /// Follows `lost` when the service is there, but does not answer.
  case silent
  /// Follows `lost` when the service was stopped on purpose: it is not started again by itself.
  case stopped
}
