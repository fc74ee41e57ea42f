import KettleModel

/// The sink for the body of one attempt.
final class SegmentSink: ByteSink {
  private let body: TransferBody
  private let attempt: AttemptID
  let room: GrantedRoom?

  init(body: TransferBody, attempt: AttemptID, room: GrantedRoom) {
    self.body = body
    self.attempt = attempt
    self.room = room
  }

  func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer {
    if let room, room.take(bytes) { return .taken }
    return body.receive(bytes, of: attempt)
  }
}
