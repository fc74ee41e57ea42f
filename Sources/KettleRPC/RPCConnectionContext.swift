import KettleAria2
import KettleSystem
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// What all connections of a listener share: the door, the limits, and who is connected.
final class RPCConnectionContext: Sendable {
  struct Rejected: Error {}

  let door: RequestDoor
  let limits: RPCListener.Limits
  let audience = RPCAudience()
  private let exchanges: AsyncStream<RPCExchange>.Continuation
  private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])
  private let pendingByteCount = Mutex(0)

  init(
    door: RequestDoor, limits: RPCListener.Limits,
    exchanges: AsyncStream<RPCExchange>.Continuation
  ) {
    self.door = door
    self.limits = limits
    self.exchanges = exchanges
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
    let upgrade = SocketUpgrade(context: self)
    try pipeline.configureHTTPServerPipeline(
      withPipeliningAssistance: true,
      withServerUpgrade: (upgraders: [upgrade.upgrader], completionHandler: { _ in }),
      withErrorHandling: true)
    try pipeline.addHandler(IdleStateHandler(readTimeout: .seconds(limits.idleSeconds)))
    try pipeline.addHandler(HTTPExchangeHandler(context: self))
  }

  func receive(_ exchange: RPCExchange) { exchanges.yield(exchange) }

  func client(of channel: any Channel, isWebSocket: Bool) -> RPCClient {
    RPCClient(
      address: channel.remoteAddress?.ipAddress ?? "", channel: channel,
      audience: isWebSocket ? audience : nil)
  }

  /// Counts bytes of messages that are not complete. Returns false, and counts nothing, if there
  /// would be too many.
  func reserve(_ byteCount: Int) -> Bool {
    pendingByteCount.withLock { pending in
      guard pending + byteCount <= limits.pendingByteCountMax else { return false }
      pending += byteCount
      return true
    }
  }

  func release(_ byteCount: Int) { pendingByteCount.withLock { $0 -= byteCount } }

  func closeConnections() async {
    exchanges.finish()
    for channel in channels.withLock({ Array($0.values) }) { try? await channel.close().get() }
  }
}
