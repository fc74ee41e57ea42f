import KettleModel

/// The rows of the transfer that `kettle get` follows in tests.
protocol GetRows {}

extension GetRows {
  var url: String { "https://example.org/file.iso" }

  func running(_ received: Int64) -> TransferSnapshot {
    var row = snapshot(1, .running)
    row.bytesReceived = received
    row.bytesExpected = 104_857_600
    row.bytesPerSecond = 1_048_576
    row.secondsLeft = 50
    return row
  }

  var completed: TransferSnapshot {
    var row = snapshot(1, .completed)
    row.bytesReceived = 104_857_600
    row.bytesExpected = 104_857_600
    row.path = "/home/anna/Downloads/file.iso"
    return row
  }

  func failed() -> TransferSnapshot {
    var row = snapshot(1, .failed)
    row.error = TransferFailure(.httpStatus, on: url, detail: "404")
    return row
  }
}
