import KettleControl
import KettleSocket
import KettleStarter

/// Reads the requests of one client, and decodes the next one while the previous one is answered:
/// answering mostly waits for the store, and a long list is a long line to decode.
///
/// It is at most one request ahead, so a client that sends requests faster than they are answered
/// costs the memory of one decoded request.
struct RequestReader: Sendable {
  /// In order. The single consumer calls `readOn` for each request it takes.
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

  /// Called when a request was taken: the next one may be decoded.
  func readOn() { takenSignal.yield() }

  /// Reads until the client has finished sending or exceeds the line limit.
  func run() async throws(ControlSocketError) {
    // Requests already decoded are still answered.
    defer { decoded.finish() }
    let coder = RequestCoder()
    var taken = taken.makeAsyncIterator()
    for try await line in lines {
      decoded.yield(coder.decode(line))
      guard await taken.next() != nil else { return }
    }
  }
}
