import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Reads the requests of one connection, one at a time, and writes the responses. It runs on the
/// event loop only.
final class HTTPExchangeHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    case waitingForHead
    case reading(HTTPRequestHead, [UInt8])
    /// The request is being answered.
    case answering(HTTPRequestHead)
    /// The request is refused; the rest of it is dropped.
    case closing
  }

  private let shared: RPCConnectionContext
  private var state = State.waitingForHead

  init(context: RPCConnectionContext) { shared = context }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch (unwrapInboundIn(data), state) {
    case (.head(let head), .waitingForHead): begin(head, context: context)
    case (.body(let buffer), .reading(let head, let bytes)):
      read(buffer, after: bytes, of: head, context: context)
    case (.end, .reading(let head, let bytes)):
      shared.release(bytes.count)
      state = .answering(head)
      pass(head, bytes, context: context)
    case (.head, _), (.body, _), (.end, _): break
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    forget()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { forget() }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is IdleStateHandler.IdleStateEvent:
      // An answer may take longer than clients are silent.
      if case .answering = state { return }
      context.close(promise: nil)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The request of a refused handshake follows, and is answered like any other.
    if error is NIOWebSocketUpgradeError { return }
    context.close(promise: nil)
  }

  private func forget() {
    if case .reading(_, let bytes) = state { shared.release(bytes.count) }
    state = .closing
  }

  // MARK: Reading

  private func begin(_ head: HTTPRequestHead, context: ChannelHandlerContext) {
    state = .reading(head, [])
    let length = head.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
    if let status = refusal(of: head) {
      refuse(head, status, context: context)
    } else if length > shared.limits.messageByteCountMax {
      refuse(head, .payloadTooLarge, context: context)
    } else if head.headers.first(name: "Expect")?.lowercased() == "100-continue" {
      context.writeAndFlush(
        wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))),
        promise: nil)
    }
  }

  private func refusal(of head: HTTPRequestHead) -> HTTPResponseStatus? {
    guard shared.door.admits(host: head.headers.first(name: "Host")),
      shared.door.admits(origin: head.headers.first(name: "Origin"))
    else { return .forbidden }
    // A handshake that was understood never gets here.
    let upgrade = head.headers.first(name: "Upgrade")?.lowercased()
    return upgrade == "websocket" && head.path == "/jsonrpc" ? .upgradeRequired : nil
  }

  private func read(
    _ buffer: ByteBuffer, after bytes: [UInt8], of head: HTTPRequestHead,
    context: ChannelHandlerContext
  ) {
    let count = buffer.readableBytes
    guard bytes.count + count <= shared.limits.messageByteCountMax else {
      return refuse(head, .payloadTooLarge, context: context)
    }
    guard shared.reserve(count) else {
      return refuse(head, .serviceUnavailable, context: context)
    }
    // So that the array below has one owner and grows in place.
    state = .closing
    var bytes = bytes
    bytes.append(contentsOf: buffer.readableBytesView)
    state = .reading(head, bytes)
  }

  private func pass(_ head: HTTPRequestHead, _ bytes: [UInt8], context: ChannelHandlerContext) {
    let query = head.uri.firstIndex(of: "?").map { String(head.uri[head.uri.index(after: $0)...]) }
    switch (head.method, head.path) {
    case (.OPTIONS, "/jsonrpc"), (.OPTIONS, "/rpc"): answerPreflight(head, context: context)
    case (.POST, "/jsonrpc"): deliver(.json(bytes), head, context: context)
    case (.GET, "/jsonrpc"): deliver(.query(query ?? ""), head, context: context)
    case (.POST, "/rpc"): deliver(.xml(bytes), head, context: context)
    case (_, "/jsonrpc"), (_, "/rpc"): write(.methodNotAllowed, to: head, context: context)
    default: write(.notFound, to: head, context: context)
    }
  }

  private func deliver(
    _ request: RPCExchange.Request, _ head: HTTPRequestHead, context: ChannelHandlerContext
  ) {
    let channel = context.channel
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    shared.receive(
      RPCExchange(
        request: request, client: shared.client(of: channel, isWebSocket: false),
        answer: { response in
          channel.eventLoop.execute {
            bound.value.handler.answer(response, context: bound.value.context)
          }
        }))
  }

  // MARK: Answering

  private func answer(_ response: RPCResponse?, context: ChannelHandlerContext) {
    guard case .answering(let head) = state else { return }
    guard let response else { return context.close(promise: nil) }
    var headers = HTTPHeaders([("Content-Type", response.mediaType.rawValue)])
    // Keeps browsers from rendering the response as a page.
    headers.add(name: "X-Content-Type-Options", value: "nosniff")
    write(
      HTTPResponseStatus(statusCode: response.httpStatus), headers, body: response.bytes, to: head,
      context: context)
  }

  private func answerPreflight(_ head: HTTPRequestHead, context: ChannelHandlerContext) {
    var headers = HTTPHeaders([
      ("Access-Control-Allow-Methods", "POST, GET, OPTIONS"),
      ("Access-Control-Max-Age", "86400"),
    ])
    let wanted = head.headers[canonicalForm: "Access-Control-Request-Headers"]
      .filter { $0.utf8.allSatisfy(HeaderName.isByte) }
    if !wanted.isEmpty {
      headers.add(name: "Access-Control-Allow-Headers", value: wanted.joined(separator: ", "))
    }
    if head.headers.first(name: "Access-Control-Request-Private-Network") == "true" {
      headers.add(name: "Access-Control-Allow-Private-Network", value: "true")
    }
    write(.noContent, headers, to: head, context: context)
  }

  /// Refuses a request without reading the rest of it.
  private func refuse(
    _ head: HTTPRequestHead, _ status: HTTPResponseStatus, context: ChannelHandlerContext
  ) {
    forget()
    var head = head
    head.headers.replaceOrAdd(name: "Connection", value: "close")
    var headers = HTTPHeaders()
    if status == .upgradeRequired { headers.add(name: "Sec-WebSocket-Version", value: "13") }
    write(status, headers, to: head, context: context)
  }

  private func write(
    _ status: HTTPResponseStatus, _ headers: HTTPHeaders = [:], body bytes: [UInt8] = [],
    to head: HTTPRequestHead, context: ChannelHandlerContext
  ) {
    var headers = headers
    if let origin = head.headers.first(name: "Origin"), shared.door.admits(origin: origin) {
      headers.add(name: "Access-Control-Allow-Origin", value: origin)
      headers.add(name: "Vary", value: "Origin")
    }
    if status != .noContent {
      headers.add(name: "Content-Length", value: String(bytes.count))
    }
    if !head.isKeepAlive { headers.add(name: "Connection", value: "close") }
    let response = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    context.write(wrapOutboundOut(.head(response)), promise: nil)
    if !bytes.isEmpty {
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
    }
    // A pipelined request arrives while the end of this response is written.
    state = head.isKeepAlive ? .waitingForHead : .closing
    let end = context.writeAndFlush(wrapOutboundOut(.end(nil)))
    if !head.isKeepAlive {
      end.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    }
  }
}

extension HTTPRequestHead {
  /// The target without its query.
  var path: Substring { uri.prefix { $0 != "?" } }
}

private enum HeaderName {
  static func isByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }
}
