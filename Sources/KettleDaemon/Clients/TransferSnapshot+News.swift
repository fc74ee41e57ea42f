import KettleModel

extension TransferSnapshot {
  /// Whether anything but the bytes and what follows from them is another than before. Each
  /// checkpoint changes the record, and nobody wants to be told of a state that is the same.
  func differsInMoreThanProgress(from before: TransferSnapshot) -> Bool {
    var same = before
    same.bytesReceived = bytesReceived
    same.bytesPerSecond = bytesPerSecond
    same.secondsLeft = secondsLeft
    same.connections = connections
    // Who is moved changes the place of others, to whom nothing happened.
    same.queuePosition = queuePosition
    return self != same
  }
}
