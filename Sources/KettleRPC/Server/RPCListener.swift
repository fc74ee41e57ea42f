import Glibc
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

/// Who is at the other end of a connection within this machine.
enum LoopbackPeer {
  private static let tableByteCountMax = 16 << 20

  /// Whether the other end belongs to the user of this process. Such a program can read the secret
  /// itself. The kernel lists the user of each socket (proc(5), /proc/net/tcp).
  static func isOwnUser(_ channel: any Channel) -> Bool {
    guard let peer = channel.remoteAddress, let own = channel.localAddress,
      let peerPort = peer.port, let ownPort = own.port
    else { return false }
    let (table, address) =
      switch peer.ipAddress {
      case "127.0.0.1": ("/proc/net/tcp", "0100007F")
      case "::1": ("/proc/net/tcp6", "00000000000000000000000001000000")
      default: ("", "")
      }
    guard !table.isEmpty else { return false }
    let ends = ["\(address):\(hex(peerPort))", "\(address):\(hex(ownPort))"]
    return users(of: ends, in: table) == [UInt32(geteuid())]
  }

  private static func hex(_ port: Int) -> String {
    let digits = String(port, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }

  /// The users of the sockets with these local and remote addresses.
  private static func users(of ends: [String], in table: String) -> [UInt32] {
    guard let file = OwnedDescriptor(opened: open(table, O_RDONLY | O_CLOEXEC)) else { return [] }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while text.count < tableByteCountMax {
      let count = read(file.number, &buffer, buffer.count)
      guard count > 0 else { break }
      text += buffer.prefix(count)
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ", maxSplits: 8, omittingEmptySubsequences: true)
      guard fields.count > 7, fields[1] == ends[0], fields[2] == ends[1] else { return nil }
      return UInt32(fields[7])
    }
  }
}
