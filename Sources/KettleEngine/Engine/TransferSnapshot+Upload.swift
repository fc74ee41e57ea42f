import KettleModel

extension TransferSpec {
  var isUpload: Bool { task?.kind == .upload }
}

extension TransferSnapshot {
  /// Shows the progress of the request body instead of the response body, which is small where
  /// progress matters.
  mutating func showUpload(of spec: TransferSpec) {
    task?.replyByteCount = bytesReceived
    bytesExpected = spec.request?.bodyByteCount ?? spec.task?.expectedSendByteCount
    switch state {
    case .running, .verifying, .completed, .failed: bytesReceived = task?.sentByteCount ?? 0
    // An upload restarts at zero.
    case .idle, .scheduled, .queued, .waiting, .paused: bytesReceived = 0
    }
  }
}
