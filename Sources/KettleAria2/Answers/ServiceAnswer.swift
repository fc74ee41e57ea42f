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
