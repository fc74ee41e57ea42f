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

/// The WebSockets that are sent notifications.
final class RPCAudience: Sendable {
  /// A client that leaves so much unread is disconnected.
  static let unreadByteCountMax = 8 << 20

  private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

  func join(_ channel: any Channel) {
    let isNew = channels.withLock { channels in
      channels.updateValue(channel, forKey: ObjectIdentifier(channel)) == nil
    }
    guard isNew else { return }
    channel.closeFuture.whenComplete { _ in
      self.channels.withLock { $0[ObjectIdentifier(channel)] = nil }
    }
  }

  func send(_ message: [UInt8]) {
    for channel in channels.withLock({ Array($0.values) }) {
      guard channel.isWritable else {
        channel.close(promise: nil)
        continue
      }
      let frame = WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: message))
      channel.writeAndFlush(frame, promise: nil)
    }
  }
}

/// One request of a client, and the way back to it.
package struct RPCExchange: Sendable {
  package enum Request: Hashable, Sendable {
    case json([UInt8])
    case xml([UInt8])
    /// The query of a GET request.
    case query(String)
  }

  package let request: Request
  package let client: RPCClient
  let answer: @Sendable (RPCResponse?) -> Void

  /// Sends the response. The server reads the client's next request only afterwards.
  package func respond(_ response: RPCResponse) { answer(response) }

  /// Closes the connection instead.
  package func refuse() { answer(nil) }
}

package struct RPCResponse: Hashable, Sendable {
  package enum MediaType: String, Hashable, Sendable {
    case json = "application/json-rpc"
    case script = "text/javascript"
    case xml = "text/xml"
  }

  package var httpStatus: Int
  package var mediaType: MediaType
  package var bytes: [UInt8]

  package init(httpStatus: Int, mediaType: MediaType, bytes: [UInt8]) {
    self.httpStatus = httpStatus
    self.mediaType = mediaType
    self.bytes = bytes
  }
}

/// The other end of one connection.
package struct RPCClient: Sendable {
  /// The address without the port.
  package let address: String
  let channel: any Channel
  let audience: RPCAudience?

  /// Waits, unless the connection ends before.
  func pause(milliseconds: Int64) async {
    let timer = channel.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) {}
    channel.closeFuture.whenComplete { _ in timer.cancel() }
    try? await timer.futureResult.get()
  }

  /// From now on the client is sent notifications, if it has a WebSocket.
  package func joinAudience() { audience?.join(channel) }
}

/// Performs the methods.
package protocol RPCPerforming: Sendable {
  func perform(_ method: RPCMethod) async throws(RPCError) -> RPCValue

  /// Adds downloads that follow each other in a batch, and returns their GIDs. One that is refused
  /// does not stop the others.
  func addAll(_ requests: [RPCAddition]) async -> [Result<RPCValue, RPCError>]
}

/// A download in a batch: the parameters of `aria2.addUri` without a position.
package struct RPCAddition: Hashable, Sendable {
  package var uris: [String]
  package var options: [String: RPCValue]
}
