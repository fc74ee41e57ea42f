import Glibc
import KettleModel
import KettleSystem
import NIOCore
import NIOHTTP1
import NIOPosix

/// The port on which a machine gives files to the other machines of its fleet, and nothing else.
package final class ShareListener: Sendable {
  package struct Limits: Sendable {
    package var connectionCountMax = 64
    /// How long a connection may be silent, or take for one piece of a file.
    package var idleSeconds: Int64 = 60
    /// How long the first request of a connection may take to arrive.
    package var headSeconds: Int64 = 10

    package init() {}
  }

  package let port: Int
  private let channel: any Channel
  private let context: ShareContext

  private init(channel: any Channel, context: ShareContext) {
    port = channel.localAddress?.port ?? 0
    self.channel = channel
    self.context = context
  }

  /// - Parameters:
  ///   - port: 0 for any that is free.
  ///   - secret: what a request must present.
  ///   - find: opens the file of a transfer. Called on the event loop.
  package static func start(
    at address: String, port: Int, secret: RPCSecret, limits: Limits = Limits(),
    find: @escaping @Sendable (Int64) -> SharedFile?
  ) async throws(RPCListener.Problem) -> ShareListener {
    let context = ShareContext(secret: secret, limits: limits, find: find)
    do {
      let channel = try await ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 64)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .serverChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler())
          }
        }
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try context.serve(channel) }
        }
        .bind(host: address, port: port).get()
      return ShareListener(channel: channel, context: context)
    } catch let error as IOError {
      throw RPCListener.Problem(port: port, code: error.errnoCode)
    } catch {
      throw RPCListener.Problem(port: port, code: EIO)
    }
  }

  /// Closes the port and all connections.
  package func close() async {
    try? await channel.close().get()
    await context.closeConnections()
  }

  /// A thread of its own: reading a file may block.
  private static let group: any EventLoopGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
}

/// A published file, open for reading.
package struct SharedFile: ~Copyable, Sendable {
  private let descriptor: OwnedDescriptor
  let stamp: FileStamp

  /// Returns nil unless it is the same regular file as when it was published.
  package init?(path: String, byteCount: Int64, modifiedNanoseconds: Int64) {
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW
    guard let descriptor = OwnedDescriptor(opened: open(path, flags)),
      let stamp = FileStamp(of: descriptor.number), stamp.byteCount == byteCount,
      stamp.modifiedNanoseconds == modifiedNanoseconds
    else { return nil }
    self.descriptor = descriptor
    self.stamp = stamp
  }

  /// The caller must close it.
  consuming func handle() -> NIOFileHandle {
    NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor.release())
  }
}

/// What changes when a file does.
struct FileStamp: Hashable, Sendable {
  let byteCount: Int64
  let modifiedNanoseconds: Int64

  /// Returns nil if the descriptor is not one of a regular file.
  init?(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    byteCount = Int64(status.st_size)
    modifiedNanoseconds =
      Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
  }

  /// A strong one: the bytes of a file with the same stamp are the same.
  var entityTag: String {
    "\"\(String(byteCount, radix: 16))-\(String(modifiedNanoseconds, radix: 16))\""
  }
}

/// What the connections of a listener share.
final class ShareContext: Sendable {
  struct Rejected: Error {}

  let secret: RPCSecret
  let find: @Sendable (Int64) -> SharedFile?
  let limits: ShareListener.Limits
  private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

  init(
    secret: RPCSecret, limits: ShareListener.Limits,
    find: @escaping @Sendable (Int64) -> SharedFile?
  ) {
    self.secret = secret
    self.limits = limits
    self.find = find
  }

  /// Prepares an accepted connection. If it throws, the connection is closed.
  func serve(_ channel: any Channel) throws {
    let isCounted = channels.withLock { channels in
      guard channels.count < limits.connectionCountMax else { return false }
      channels[ObjectIdentifier(channel)] = channel
      return true
    }
    guard isCounted else { throw Rejected() }
    channel.closeFuture.whenComplete { _ in
      self.channels.withLock { $0[ObjectIdentifier(channel)] = nil }
    }
    let pipeline = channel.pipeline.syncOperations
    // Its parser ends a connection with a head of more than 80 KiB.
    try pipeline.configureHTTPServerPipeline()
    try pipeline.addHandler(IdleStateHandler(allTimeout: .seconds(limits.idleSeconds)))
    try pipeline.addHandler(ShareExchangeHandler(context: self))
  }

  func closeConnections() async {
    for channel in channels.withLock({ Array($0.values) }) { try? await channel.close().get() }
  }
}
