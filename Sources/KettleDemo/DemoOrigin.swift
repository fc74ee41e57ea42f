import KettleSystem
import NIOCore
import NIOHTTP1
import NIOPosix

/// A web server on the loopback that serves the catalogue slowly enough to watch, and supports
/// resuming as a good server does.
package final class DemoOrigin: Sendable {
  package let catalogue: DemoCatalogue
  private let log = DemoRequestLog()
  private let state = Mutex(State.new)

  private enum State {
    case new
    case running(any EventLoopGroup)
    case stopped
  }

  package init(catalogue: DemoCatalogue = .standard) { self.catalogue = catalogue }

  /// The most recent requests, in order of arrival.
  package var requests: [DemoRequest] { log.requests }

  /// Starts serving on a free port of the loopback and returns the port. An origin is started only
  /// once.
  package func start() async throws -> Int {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      let channel = try await bootstrap(group).bind(host: "127.0.0.1", port: 0).get()
      guard let port = channel.localAddress?.port else { throw DemoOriginError.noPort }
      try state.withLock { state in
        switch state {
        case .new: state = .running(group)
        case .running, .stopped: throw DemoOriginError.startedBefore
        }
      }
      return port
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
  }

  /// Closes all connections and releases the port. Does nothing when the origin is not running.
  package func stop() async {
    let group: (any EventLoopGroup)? = state.withLock { state in
      defer { state = .stopped }
      switch state {
      case .running(let group): return group
      case .new, .stopped: return nil
      }
    }
    // Fails only when it is already shut down.
    try? await group?.shutdownGracefully()
  }

  private func bootstrap(_ group: any EventLoopGroup) -> ServerBootstrap {
    let (catalogue, log) = (catalogue, log)
    return ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 128)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(
            DemoHandler(catalogue: catalogue, log: log))
        }
      }
  }
}

package enum DemoOriginError: Error, Hashable, Sendable {
  case startedBefore
  /// The system assigned no port to the socket.
  case noPort
}
