import KettleModel
import NIOCore
import NIOHTTP1

/// Answers the requests of one connection for files, one at a time. It runs on the event loop only.
///
/// A request names a transfer by its number, `/fleet/NUMBER`, and never a path.
final class ShareExchangeHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  /// The kernel reads it from the file while the connection takes it (sendfile(2)).
  private static let pieceByteCount: Int64 = 1 << 20
  private static let prefix = "/fleet/"
  private static let scheme = "Bearer "

  private enum State {
    case waitingForHead
    case waitingForEnd(HTTPRequestHead)
    case sending(Sending)
    case closed
  }

  private struct Sending {
    let file: NIOFileHandle
    let stamp: FileStamp
    var offset: Int64
    let end: Int64
    let request: HTTPRequestHead
    var watch: Scheduled<Void>?

    /// Whether it is still the file of the head of the response.
    var isUnchanged: Bool {
      (try? file.withUnsafeFileDescriptor { FileStamp(of: $0) }) == stamp
    }
  }

  private let shared: ShareContext
  private var state = State.waitingForHead
  /// Closes the connection if the next request is not complete in time. A client that sends a byte
  /// now and then never looks idle.
  private var deadline: Scheduled<Void>?

  init(context: ShareContext) { shared = context }

  func handlerAdded(context: ChannelHandlerContext) {
    expectRequest(within: shared.limits.headSeconds, context: context)
  }

  private func expectRequest(within seconds: Int64, context: ChannelHandlerContext) {
    deadline?.cancel()
    deadline = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(seconds)) {
      context.close(promise: nil)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch (unwrapInboundIn(data), state) {
    case (.head(let head), .waitingForHead): state = .waitingForEnd(head)
    case (.end, .waitingForEnd(let head)):
      deadline?.cancel()
      answer(head, context: context)
    // No request here has a body.
    case (.body, .waitingForEnd): context.close(promise: nil)
    case (.head, _), (.body, _), (.end, _): break
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is IdleStateHandler.IdleStateEvent: context.close(promise: nil)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func end() {
    deadline?.cancel()
    if case .sending(let sending) = state { release(sending) }
    state = .closed
  }

  private func release(_ sending: Sending) {
    sending.watch?.cancel()
    try? sending.file.close()
  }

  // MARK: Answering

  private func answer(_ head: HTTPRequestHead, context: ChannelHandlerContext) {
    let given = head.headers.first(name: "Authorization")
    guard let given, given.hasPrefix(Self.scheme),
      shared.secret.matches(String(given.dropFirst(Self.scheme.count)))
    else { return refuse(head, .unauthorized, context: context) }
    guard head.method == .GET || head.method == .HEAD else {
      return refuse(head, .methodNotAllowed, context: context)
    }
    guard head.path.hasPrefix(Self.prefix), let id = Int64(head.path.dropFirst(Self.prefix.count)),
      let file = shared.find(id)
    else { return refuse(head, .notFound, context: context) }
    let stamp = file.stamp
    let condition = head.headers.first(name: "If-Range")
    let isWanted = head.method == .GET && (condition ?? stamp.entityTag) == stamp.entityTag
    let part = RequestedPart(
      isWanted ? head.headers.first(name: "Range") : nil, byteCount: stamp.byteCount)
    let range = begin(part, stamp, of: head, context: context)
    guard head.method == .GET, let range, !range.isEmpty else {
      return finish(head, context: context)
    }
    state = .sending(
      Sending(
        file: file.handle(), stamp: stamp, offset: range.lowerBound, end: range.upperBound,
        request: head))
    watch(context: context)
    sendPiece(context: context)
  }

  /// Writes the head of a response. Returns which bytes follow.
  private func begin(
    _ part: RequestedPart, _ stamp: FileStamp, of head: HTTPRequestHead,
    context: ChannelHandlerContext
  ) -> Range<Int64>? {
    var headers = HTTPHeaders([("Accept-Ranges", "bytes"), ("ETag", stamp.entityTag)])
    let all = stamp.byteCount
    switch part {
    case .whole:
      write(.ok, headers, byteCount: all, to: head, context: context)
      return 0..<all
    case .part(let range):
      headers.add(
        name: "Content-Range", value: "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(all)")
      write(
        .partialContent, headers, byteCount: Int64(range.count), to: head, context: context)
      return range
    case .unsatisfiable:
      headers.add(name: "Content-Range", value: "bytes */\(all)")
      write(.rangeNotSatisfiable, headers, byteCount: 0, to: head, context: context)
      return nil
    }
  }

  private func sendPiece(context: ChannelHandlerContext) {
    guard case .sending(var sending) = state else { return }
    guard sending.isUnchanged else { return context.close(promise: nil) }
    let next = min(sending.end, sending.offset + Self.pieceByteCount)
    let region = FileRegion(
      fileHandle: sending.file, readerIndex: Int(sending.offset), endIndex: Int(next))
    sending.offset = next
    state = .sending(sending)
    context.writeAndFlush(wrapOutboundOut(.body(.fileRegion(region)))).assumeIsolated()
      .whenComplete { result in
        switch result {
        case .success: self.pieceSent(context: context)
        case .failure: context.close(promise: nil)
        }
      }
  }

  private func pieceSent(context: ChannelHandlerContext) {
    guard case .sending(let sending) = state else { return }
    guard sending.offset == sending.end else { return sendPiece(context: context) }
    release(sending)
    finish(sending.request, context: context)
  }

  /// Ends the connection if the file changes: a piece that is not there any more would never be
  /// sent.
  private func watch(context: ChannelHandlerContext) {
    guard case .sending(var sending) = state else { return }
    guard sending.isUnchanged else { return context.close(promise: nil) }
    sending.watch = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) {
      self.watch(context: context)
    }
    state = .sending(sending)
  }

  private func refuse(
    _ head: HTTPRequestHead, _ status: HTTPResponseStatus, context: ChannelHandlerContext
  ) {
    var head = head
    // Whoever does not know the secret does not keep a connection.
    head.headers.replaceOrAdd(name: "Connection", value: "close")
    write(status, [:], byteCount: 0, to: head, context: context)
    finish(head, context: context)
  }

  private func write(
    _ status: HTTPResponseStatus, _ headers: HTTPHeaders, byteCount: Int64,
    to head: HTTPRequestHead, context: ChannelHandlerContext
  ) {
    var headers = headers
    headers.add(name: "Content-Length", value: String(byteCount))
    headers.add(name: "Content-Type", value: "application/octet-stream")
    if !head.isKeepAlive { headers.add(name: "Connection", value: "close") }
    let response = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    context.write(wrapOutboundOut(.head(response)), promise: nil)
  }

  private func finish(_ head: HTTPRequestHead, context: ChannelHandlerContext) {
    state = head.isKeepAlive ? .waitingForHead : .closed
    if head.isKeepAlive { expectRequest(within: shared.limits.idleSeconds, context: context) }
    let end = context.writeAndFlush(wrapOutboundOut(.end(nil)))
    if !head.isKeepAlive {
      end.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    }
  }
}

/// What a `Range` header means for a file of known length (RFC 9110, section 14.2). Several ranges
/// are answered with the whole file, as is every other text that is not one.
enum RequestedPart: Hashable, Sendable {
  case whole
  /// Never empty.
  case part(Range<Int64>)
  case unsatisfiable

  init(_ header: String?, byteCount: Int64) {
    self = .whole
    guard let header, header.lowercased().hasPrefix("bytes=") else { return }
    let ends = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return }
    let numbers = ends.map { text -> Int64? in
      text.utf8.allSatisfy { (48...57).contains($0) } ? Int64(text) : nil
    }
    switch (numbers[0], numbers[1]) {
    case (let first?, let last?) where first <= last:
      self = Self.part(from: first, to: last < byteCount ? last + 1 : byteCount)
    case (let first?, nil) where ends[1].isEmpty: self = Self.part(from: first, to: byteCount)
    case (nil, let count?) where ends[0].isEmpty:
      self = Self.part(from: max(0, byteCount - count), to: byteCount)
    case (_?, _), (nil, _): break
    }
  }

  private static func part(from lower: Int64, to upper: Int64) -> RequestedPart {
    lower < upper ? .part(lower..<upper) : .unsatisfiable
  }
}
