import KettleModel

extension TransferSpec {
  var isUpload: Bool { task?.kind == .upload }
}

extension TransferSnapshot {
  /// Shows how far the body of the request is in place of that of the reply, which is small where
  /// anybody looks at progress.
  mutating func showUpload(of spec: TransferSpec) {
    task?.replyByteCount = bytesReceived
    bytesExpected = spec.request?.bodyByteCount ?? spec.task?.expectedSendByteCount
    switch state {
    case .running, .verifying, .completed, .failed: bytesReceived = task?.sentByteCount ?? 0
    // It begins at zero again.
    case .idle, .scheduled, .queued, .waiting, .paused: bytesReceived = 0
    }
  }
}
