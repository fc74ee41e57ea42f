import KettleControl
import KettleModel

/// The results of the methods that report on the service.
package enum ServiceAnswer {
  /// The version of aria2 whose interface this is. Front ends show it.
  private static let interfaceVersion = "1.36.0"

  /// BitTorrent is not among the features: front ends would offer it.
  package static let version: RPCValue = [
    "version": .text(interfaceVersion),
    "enabledFeatures": [
      "Async DNS", "GZip", "HTTPS", "Message Digest", "SFTP", "XML-RPC",
      .text("Kettle \(ProductVersion.text)"),
    ],
  ]

  package static func session(instance: String) -> RPCValue { ["sessionId": .text(instance)] }

  package static func statistics(
    bytesPerSecond: Int64, active: Int, waiting: Int, stopped: Int
  ) -> RPCValue {
    [
      "downloadSpeed": .number(bytesPerSecond), "uploadSpeed": "0",
      "numActive": .number(active), "numWaiting": .number(waiting),
      "numStopped": .number(stopped), "numStoppedTotal": .number(stopped),
    ]
  }
}

/// A notification. Only clients that presented the secret receive it.
package enum RPCNotification: String, Hashable, Sendable, CaseIterable {
  case started = "aria2.onDownloadStart"
  case paused = "aria2.onDownloadPause"
  case removed = "aria2.onDownloadStop"
  case completed = "aria2.onDownloadComplete"
  case failed = "aria2.onDownloadError"

  package func message(_ gid: GID) -> RPCValue {
    [
      "jsonrpc": "2.0", "method": .text(rawValue),
      "params": [["gid": .text(gid.description)]],
    ]
  }
}

/// Which notifications were sent about the transfers that are not finished, so that each is sent
/// once.
package struct NotificationLog: Sendable {
  private enum Told: Sendable {
    case nothing
    case paused
    /// It may wait and run again without another word.
    case started
  }

  private var told: [TransferID: Told] = [:]

  package init() {}

  /// - Parameter isNew: whether the transfer was just added.
  /// - Returns: the notification due for a transfer in this state, if any.
  package mutating func note(_ row: TransferSnapshot, isNew: Bool = false) -> RPCNotification? {
    // Stopped, or about to be removed.
    if row.state == .idle { return nil }
    let before = told[row.id]
    switch RPCStatus(row.state, row.reason) {
    case .active:
      told[row.id] = .started
      return before == .started ? nil : .started
    case .paused:
      told[row.id] = .paused
      return before == .paused || isNew ? nil : .paused
    case .waiting:
      // After a pause it starts again.
      if before != .started { told[row.id] = .nothing }
      return nil
    case .complete: return forget(row.id) ? .completed : nil
    case .error: return forget(row.id) ? .failed : nil
    case .removed: return forget(row.id) ? .removed : nil
    }
  }

  /// - Returns: the notification due for a transfer that was removed from the list, if any.
  package mutating func noteRemoved(_ row: TransferSnapshot) -> RPCNotification? {
    _ = forget(row.id)
    return RPCStatus(row.state, row.reason).isStopped ? nil : .removed
  }

  /// Returns whether it was unfinished so far.
  private mutating func forget(_ id: TransferID) -> Bool { told.removeValue(forKey: id) != nil }
}
