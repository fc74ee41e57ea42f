import KettleModel

/// The sink for the body of one attempt.
final class SegmentSink: ByteSink {
  private let writer: PartialFileWriter
  private let attempt: AttemptID

  init(_ writer: PartialFileWriter, attempt: AttemptID) {
    self.writer = writer
    self.attempt = attempt
  }

  func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer {
    writer.receive(bytes, of: attempt)
  }
}
