import KettleModel
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

  /// Starts serving on a port of the loopback and returns the port; 0 stands for a free one. An
  /// origin is started only once.
  package func start(port: Int = 0) async throws -> Int {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      let channel = try await Self.bind(bootstrap(group), to: port)
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

  private static func bind(_ server: ServerBootstrap, to port: Int) async throws -> any Channel {
    do {
      return try await server.bind(host: "127.0.0.1", port: port).get()
    } catch let error as IOError {
      throw DemoOriginError.cannotListen(errorNumber: error.errnoCode)
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
      // Ctrl-C and the same command again: the old connections may still hold the port.
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
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
  /// The port cannot be used; the number is that of errno(3).
  case cannotListen(errorNumber: Int32)
}

/// Answers the requests of one connection, one at a time, at the speed of the item.
///
/// Only one piece is in flight, and the next is made when the kernel has accepted it: a client that
/// does not read costs one piece, however much it requested.
final class DemoHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  /// What follows the last piece of a reply.
  private enum Ending {
    case keepAlive
    /// The reply is complete, and the connection ends.
    case close
    /// The connection ends in the middle of the reply.
    case breakOff
  }

  private enum State {
    case waitingForHead
    /// The head has arrived; the reply begins when the request ends.
    case waitingForEnd(HTTPRequestHead)
    case sending(Sending)
    case closed
  }

  private struct Sending {
    var content: DemoContent
    var offset: Int64
    let end: Int64
    let bytesPerSecond: Int64
    let logNumber: Int
    let ending: Ending
    var due: NIODeadline
    var nextPiece: Scheduled<Void>?

    /// About twenty pieces per second look smooth; the maximum bounds memory at any speed.
    var pieceByteCount: Int64 {
      min(max(1, bytesPerSecond / 20), 64 * 1024, end - offset)
    }

    func duration(of byteCount: Int64) -> TimeAmount {
      .nanoseconds(byteCount * 1_000_000_000 / max(1, bytesPerSecond))
    }
  }

  private let catalogue: DemoCatalogue
  private let log: DemoRequestLog
  private var state = State.waitingForHead

  init(catalogue: DemoCatalogue, log: DemoRequestLog) {
    self.catalogue = catalogue
    self.log = log
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch (unwrapInboundIn(data), state) {
    case (.head(let head), .waitingForHead): state = .waitingForEnd(head)
    case (.end, .waitingForEnd(let head)): reply(to: head, context: context)
    case (.head, _), (.body, _), (.end, _): break
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    if case .sending(let sending) = state { sending.nextPiece?.cancel() }
    state = .closed
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func reply(to head: HTTPRequestHead, context: ChannelHandlerContext) {
    let range = head.headers.first(name: "Range")
    let ifRange = head.headers.first(name: "If-Range")
    let reply = DemoReply(
      method: head.method.rawValue, target: head.uri, range: range, ifRange: ifRange,
      authorization: head.headers.first(name: "Authorization"), catalogue: catalogue)
    let number = log.append(
      DemoRequest(
        method: head.method.rawValue, path: head.uri, range: range, ifRange: ifRange,
        status: reply.status))
    var headers = HTTPHeaders(reply.headers.map { ($0.name, $0.value) })
    headers.add(name: "Date", value: HTTPDate.text(.now()))
    if !head.isKeepAlive { headers.add(name: "Connection", value: "close") }
    let responseHead = HTTPResponseHead(
      version: .http1_1, status: HTTPResponseStatus(statusCode: reply.status), headers: headers)
    context.write(wrapOutboundOut(.head(responseHead)), promise: nil)
    let ending: Ending = head.isKeepAlive ? .keepAlive : .close
    switch reply.body {
    case .file(let item, let range) where !range.isEmpty:
      send(item, range, ending: ending, logNumber: number, context: context)
    case .broken(let item, let range):
      send(item, range, ending: .breakOff, logNumber: number, context: context)
    case .page(let page):
      let buffer = context.channel.allocator.buffer(string: page)
      log.sent(buffer.readableBytes, of: number)
      context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
      finish(ending, context: context)
    case .file, nil: finish(ending, context: context)
    }
  }

  private func send(
    _ item: DemoItem, _ range: Range<Int64>, ending: Ending, logNumber: Int,
    context: ChannelHandlerContext
  ) {
    context.flush()
    state = .sending(
      Sending(
        content: DemoContent(item), offset: range.lowerBound, end: range.upperBound,
        bytesPerSecond: item.bytesPerSecond, logNumber: logNumber, ending: ending, due: .now()))
    sendPiece(context: context)
  }

  private func sendPiece(context: ChannelHandlerContext) {
    guard case .sending(var sending) = state else { return }
    sending.nextPiece = nil
    let count = sending.pieceByteCount
    let bytes = sending.content.bytes(in: sending.offset..<(sending.offset + count))
    sending.offset += count
    // A late piece does not make the next one early: no burst after a pause.
    sending.due = max(sending.due, .now()) + sending.duration(of: count)
    log.sent(Int(count), of: sending.logNumber)
    state = .sending(sending)
    let buffer = context.channel.allocator.buffer(bytes: bytes)
    context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(buffer)))).assumeIsolated()
      .whenComplete { result in
        switch result {
        case .success: self.pieceSent(context: context)
        case .failure: context.close(promise: nil)
        }
      }
  }

  private func pieceSent(context: ChannelHandlerContext) {
    guard case .sending(var sending) = state else { return }
    sending.nextPiece = context.eventLoop.assumeIsolated().scheduleTask(deadline: sending.due) {
      guard case .sending(let sending) = self.state else { return }
      if sending.offset < sending.end {
        self.sendPiece(context: context)
      } else {
        self.finish(sending.ending, context: context)
      }
    }
    state = .sending(sending)
  }

  private func finish(_ ending: Ending, context: ChannelHandlerContext) {
    state = .waitingForHead
    switch ending {
    case .keepAlive: context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    case .close:
      context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated()
        .whenComplete { _ in context.close(promise: nil) }
    case .breakOff: context.close(promise: nil)
    }
  }
}
