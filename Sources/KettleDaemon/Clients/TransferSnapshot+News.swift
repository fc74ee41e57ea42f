import KettleModel

extension TransferSnapshot {
  /// Whether anything except the byte count and values derived from it changed. Each checkpoint
  /// changes the record, and events for an unchanged state are useless.
  func differsInMoreThanProgress(from before: TransferSnapshot) -> Bool {
    var same = before
    same.bytesReceived = bytesReceived
    same.bytesPerSecond = bytesPerSecond
    same.secondsLeft = secondsLeft
    same.connections = connections
    // Moving a transfer changes the positions of others, to which nothing happened.
    same.queuePosition = queuePosition
    return self != same
  }
}
