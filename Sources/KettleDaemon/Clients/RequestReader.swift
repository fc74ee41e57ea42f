import KettleControl
import KettleSocket

/// Reads the requests of one client, and decodes the next one while the last is answered: that is
/// mostly waiting for the store, and a long list is a long line to decode.
///
/// It is never further ahead than that, so a client that asks faster than it is answered costs the
/// memory of one decoded request.
struct RequestReader: Sendable {
  /// In their order. Whoever takes one says `readOn`; there is one who does.
  let requests: AsyncStream<ReceivedRequest>

  private let lines: ControlLines
  private let decoded: AsyncStream<ReceivedRequest>.Continuation
  private let taken: AsyncStream<Void>
  private let takenSignal: AsyncStream<Void>.Continuation

  init(_ lines: ControlLines) {
    self.lines = lines
    (requests, decoded) = AsyncStream.makeStream()
    (taken, takenSignal) = AsyncStream.makeStream()
  }

  /// A request was taken: the one behind it may be decoded.
  func readOn() { takenSignal.yield() }

  /// Reads until the client has said everything, or breaks the limit of a line.
  func run() async throws(ControlSocketError) {
    // What was decoded before is still answered.
    defer { decoded.finish() }
    let coder = RequestCoder()
    var taken = taken.makeAsyncIterator()
    for try await line in lines {
      decoded.yield(coder.decode(line))
      guard await taken.next() != nil else { return }
    }
  }
}
