import Dispatch

/// Blocks every caller of `pass` until it is opened.
package final class Gate: Sendable {
  private let opened = DispatchSemaphore(value: 0)
  private let isReached: AsyncStream<Void>
  private let reach: AsyncStream<Void>.Continuation

  package init() { (isReached, reach) = AsyncStream.makeStream() }

  package func pass() {
    reach.yield()
    opened.wait()
    opened.signal()
  }

  package func open() { opened.signal() }

  /// Returns when a caller is blocked.
  package func reached() async { for await _ in isReached { return } }
}
