import KettleAria2
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Turns a connection into a WebSocket (RFC 6455, section 4).
struct SocketUpgrade {
  let upgrader: NIOWebSocketServerUpgrader

  init(context: RPCConnectionContext) {
    upgrader = NIOWebSocketServerUpgrader(
      maxFrameSize: context.limits.socketMessageByteCountMax,
      automaticErrorHandling: true,
      shouldUpgrade: { channel, head in
        let isAdmitted =
          head.path == "/jsonrpc" && context.door.admits(host: head.headers.first(name: "Host"))
          && context.door.admits(origin: head.headers.first(name: "Origin"))
          && head.headers.first(name: "Sec-WebSocket-Version") == "13"
        return channel.eventLoop.makeSucceededFuture(isAdmitted ? HTTPHeaders() : nil)
      },
      upgradePipelineHandler: { channel, head in
        channel.eventLoop.makeCompletedFuture {
          // Some listeners never send the secret.
          if !head.isFromPage, LoopbackPeer.isOwnUser(channel) { context.audience.join(channel) }

          let pipeline = channel.pipeline.syncOperations
          // A WebSocket may be silent for as long as it likes.
          pipeline.removeHandler(
            context: try pipeline.context(handlerType: IdleStateHandler.self), promise: nil)
          pipeline.removeHandler(
            context: try pipeline.context(handlerType: HTTPExchangeHandler.self), promise: nil)
          try pipeline.addHandler(
            NIOWebSocketFrameAggregator(
              minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 4096,
              maxAccumulatedFrameSize: context.limits.socketMessageByteCountMax))
          try pipeline.addHandler(SocketExchangeHandler(context: context))
        }
      })
  }
}

extension HTTPRequestHead {
  /// Whether a page may have made the request. This port serves no pages, so one that names it as
  /// its own origin was made by a program.
  fileprivate var isFromPage: Bool {
    guard let origin = headers.first(name: "Origin") else { return false }
    return origin != "http://\(headers.first(name: "Host") ?? "")"
  }
}
