import Logging
import Synchronization
import Testing

@testable import TransferDaemon

@Suite(.timeLimit(.minutes(1)))
struct SocketKeeperTests {
  private struct Broken: Error {}

  @Test func `it looks again and again, also after a failure`() async {
    let (looks, continuation) = AsyncStream<Void>.makeStream()
    let count = Mutex(0)
    let keeper = SocketKeeper(interval: .milliseconds(5), logger: Logger(label: "test")) {
      continuation.yield()
      if count.withLock({
        $0 += 1
        return $0 == 2
      }) {
        throw Broken()
      }
      return false
    }
    var seen = 0
    for await _ in looks {
      seen += 1
      if seen == 4 { break }
    }
    keeper.end()
    #expect(seen == 4)
  }

  @Test func `one look ends before the next begins`() async {
    let (looks, continuation) = AsyncStream<Int>.makeStream()
    let (gate, opening) = AsyncStream<Void>.makeStream()
    let under = Mutex(0)
    let keeper = SocketKeeper(interval: .milliseconds(1), logger: Logger(label: "test")) {
      continuation.yield(
        under.withLock {
          $0 += 1; return $0
        })
      // Many intervals pass while this one waits; each would be a second look.
      for await _ in gate { break }
      under.withLock { $0 -= 1 }
      return false
    }
    var all = looks.makeAsyncIterator()
    #expect(await all.next() == 1)
    for _ in 0..<3 {
      opening.yield()
      #expect(await all.next() == 1)
    }
    keeper.end()
  }
}
