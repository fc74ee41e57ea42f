import TransferModel

/// Takes the body of one attempt.
final class SegmentSink: ByteSink {
  private let body: TransferBody
  private let attempt: AttemptID
  private let filling: BlockFilling

  init(body: TransferBody, attempt: AttemptID, filling: BlockFilling) {
    self.body = body
    self.attempt = attempt
    self.filling = filling
  }

  func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer {
    filling.take(bytes) ? .taken : body.receive(bytes, of: attempt)
  }
}
