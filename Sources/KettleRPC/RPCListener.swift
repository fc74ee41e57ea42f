import Glibc
import KettleAria2
import KettleSystem
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// The port of the RPC on the loopback addresses, over IPv4 and, where there is one, IPv6.
package final class RPCListener: Sendable {
  package struct Limits: Sendable {
    package var connectionCountMax = 128
    package var messageByteCountMax = 16 << 20
    /// The same for a WebSocket, whose connection buffers it until it is complete.
    package var socketMessageByteCountMax = 4 << 20
    /// What all connections together may have sent of messages that are not complete.
    package var pendingByteCountMax = 64 << 20
    /// How long a connection without a request stays open; a WebSocket stays.
    package var idleSeconds: Int64 = 75

    package init() {}
  }

  /// Why the port cannot be opened.
  package struct Problem: Error, Hashable, Sendable {
    package var port: Int
    package var code: Int32
  }

  package let port: Int
  /// The requests of all clients. There is one reader.
  package let exchanges: AsyncStream<RPCExchange>
  private let channels: [any Channel]
  private let context: RPCConnectionContext

  private init(
    port: Int, channels: [any Channel], context: RPCConnectionContext,
    exchanges: AsyncStream<RPCExchange>
  ) {
    self.port = port
    self.channels = channels
    self.context = context
    self.exchanges = exchanges
  }

  /// - Parameter port: 0 for any that is free.
  package static func start(
    port: Int, door: RequestDoor, limits: Limits = Limits()
  ) async throws(Problem) -> RPCListener {
    let (exchanges, continuation) = AsyncStream.makeStream(of: RPCExchange.self)
    let context = RPCConnectionContext(door: door, limits: limits, exchanges: continuation)
    let first = try await bind(to: "127.0.0.1", port: port, for: context)
    let bound = first.localAddress?.port ?? port
    var channels = [first]
    do throws(Problem) {
      channels.append(try await bind(to: "::1", port: bound, for: context))
    } catch {
      // A machine may have no IPv6. A port that another program has is a problem.
      if error.code == EADDRINUSE {
        try? await first.close().get()
        throw error
      }
    }
    return RPCListener(
      port: bound, channels: channels, context: context, exchanges: exchanges)
  }

  /// Sends a message to every WebSocket whose client joined the audience.
  package func notify(_ message: RPCValue) {
    context.audience.send(JSONWriter.bytes(message))
  }

  /// Closes the port and all connections.
  package func close() async {
    for channel in channels { try? await channel.close().get() }
    await context.closeConnections()
  }

  private static let group: any EventLoopGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  private static func bind(
    to address: String, port: Int, for context: RPCConnectionContext
  ) async throws(Problem) -> any Channel {
    do {
      return try await ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 64)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .serverChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            // Without free descriptors accept(2) fails repeatedly, so it backs off for a moment.
            try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler())
          }
        }
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .childChannelOption(
          .writeBufferWaterMark,
          value: .init(
            low: RPCAudience.unreadByteCountMax / 2, high: RPCAudience.unreadByteCountMax)
        )
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try context.serve(channel) }
        }
        .bind(host: address, port: port).get()
    } catch let error as IOError {
      throw Problem(port: port, code: error.errnoCode)
    } catch {
      throw Problem(port: port, code: EIO)
    }
  }
}
