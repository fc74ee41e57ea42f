import NIOCore
import NIOPosix

/// The one thread that all control sockets of a process share. When idle it sleeps in epoll_wait
/// and never wakes up by itself.
enum ControlEventLoop {
  static let group: any EventLoopGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
}

extension Duration {
  var timeAmount: TimeAmount {
    let (seconds, attoseconds) = components
    let bounded = min(max(seconds, 0), 1_000_000_000)
    return .seconds(bounded) + .nanoseconds(attoseconds / 1_000_000_000)
  }
}
