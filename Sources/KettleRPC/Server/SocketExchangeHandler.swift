import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Reads the messages of one WebSocket and writes the answers, in order (RFC 6455). It runs on the
/// event loop only.
final class SocketExchangeHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  /// How many messages may wait for the answer to an earlier one.
  private static let waitingCountMax = 256

  private enum State {
    case idle
    case answering
    case closed
  }

  private let shared: RPCConnectionContext
  private var state = State.idle
  private var waiting: [[UInt8]] = []

  init(context: RPCConnectionContext) { shared = context }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .text: receive(Array(frame.unmaskedData.readableBytesView), context: context)
    case .ping: send(.pong, frame.unmaskedData, context: context)
    case .connectionClose: close(.normalClosure, context: context)
    case .pong: break
    case .binary: close(.unacceptableData, context: context)
    // Fragments were put together before, and others are reserved.
    default: close(.protocolError, context: context)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    forget()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { forget() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func forget() {
    state = .closed
    for bytes in waiting { shared.release(bytes.count) }
    waiting = []
  }

  private func receive(_ bytes: [UInt8], context: ChannelHandlerContext) {
    switch state {
    case .closed: break
    case .idle: deliver(bytes, context: context)
    case .answering:
      guard waiting.count < Self.waitingCountMax, shared.reserve(bytes.count) else {
        return close(.policyViolation, context: context)
      }
      waiting.append(bytes)
    }
  }

  private func deliver(_ bytes: [UInt8], context: ChannelHandlerContext) {
    state = .answering
    let channel = context.channel
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    shared.receive(
      RPCExchange(
        request: .json(bytes), client: shared.client(of: channel, isWebSocket: true),
        answer: { response in
          channel.eventLoop.execute {
            bound.value.handler.answer(response, context: bound.value.context)
          }
        }))
  }

  private func answer(_ response: RPCResponse?, context: ChannelHandlerContext) {
    guard case .answering = state else { return }
    guard let response else { return close(.policyViolation, context: context) }
    let frame = WebSocketFrame(
      fin: true, opcode: .text, data: ByteBuffer(bytes: response.bytes))
    // A client that does not read its answers gets no more of them.
    context.writeAndFlush(wrapOutboundOut(frame)).assumeIsolated().whenSuccess {
      self.answered(context: context)
    }
  }

  private func answered(context: ChannelHandlerContext) {
    guard case .answering = state else { return }
    state = .idle
    guard !waiting.isEmpty else { return }
    let next = waiting.removeFirst()
    shared.release(next.count)
    deliver(next, context: context)
  }

  private func send(
    _ opcode: WebSocketOpcode, _ data: ByteBuffer, context: ChannelHandlerContext
  ) {
    guard context.channel.isWritable else { return context.close(promise: nil) }
    let frame = WebSocketFrame(fin: true, opcode: opcode, data: data)
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }

  private func close(_ code: WebSocketErrorCode, context: ChannelHandlerContext) {
    if case .closed = state { return }
    forget()
    var data = ByteBuffer()
    data.write(webSocketErrorCode: code)
    let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
    context.writeAndFlush(wrapOutboundOut(frame)).assumeIsolated().whenComplete { _ in
      context.close(promise: nil)
    }
  }
}

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
