import KettleControl
import KettleStarter
import NIOCore

/// Splits the bytes received on one connection into lines, and reads no faster than they are
/// consumed.
///
/// It runs on the event loop only. The socket is read on demand: when the consumer lags, the
/// kernel's buffer fills and the other end has to wait.
final class LineHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  struct Limits: Sendable {
    var lineByteCountMax: Int
    /// The time limit for the rest of a line that was begun; nil for no limit.
    var partialLineBudget: Duration?
  }

  private var decoder: LineDecoder
  private let partialLineBudget: TimeAmount?
  private var partialLineTimer: Scheduled<Void>?
  private let source: ControlLines.Producer.Source
  private var mayRead = true
  private var activated: (() -> Void)?

  /// - Parameter activated: Called when lines can be read and written.
  init(limits: Limits, source: ControlLines.Producer.Source, activated: (() -> Void)?) {
    decoder = LineDecoder(byteCountMax: limits.lineByteCountMax)
    partialLineBudget = limits.partialLineBudget.map(\.timeAmount)
    self.source = source
    self.activated = activated
  }

  func channelActive(context: ChannelHandlerContext) {
    activated?()
    // What the closure captures would keep the connection open after its last user is gone.
    activated = nil
    context.read()
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let buffer = unwrapInboundIn(data)
    var lines: [[UInt8]] = []
    do {
      try decoder.decode(buffer.readableBytesUInt8Span, into: &lines)
      deliver(lines)
    } catch {
      deliver(lines)
      mayRead = false
      source.finish(ControlSocketError.lineTooLong(byteCountMax: error.byteCountMax))
    }
    watchPartialLine(hasNewLine: !lines.isEmpty, context: context)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if mayRead { context.read() }
    context.fireChannelReadComplete()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ControlLines.MoreWanted:
      mayRead = true
      context.read()
    case ChannelEvent.inputClosed:
      // The other end has finished sending and may still be waiting for replies.
      end()
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    end()
    context.close(promise: nil)
  }

  private func deliver(_ lines: [[UInt8]]) {
    guard !lines.isEmpty else { return }
    switch source.yield(contentsOf: lines) {
    case .produceMore: mayRead = true
    case .stopProducing, .dropped: mayRead = false
    }
  }

  private func end() {
    partialLineTimer?.cancel()
    partialLineTimer = nil
    source.finish()
  }

  /// A client that sends half a line and waits would otherwise occupy one of the few connections
  /// indefinitely.
  private func watchPartialLine(hasNewLine: Bool, context: ChannelHandlerContext) {
    guard let partialLineBudget else { return }
    if hasNewLine || !decoder.hasPartialLine {
      partialLineTimer?.cancel()
      partialLineTimer = nil
    }
    guard decoder.hasPartialLine, partialLineTimer == nil else { return }
    partialLineTimer = context.eventLoop.assumeIsolated().scheduleTask(in: partialLineBudget) {
      self.partialLineTimer = nil
      // While this side is not reading, the other end cannot be late.
      if self.mayRead {
        self.source.finish(ControlSocketError.lineNotFinished)
        context.close(promise: nil)
      } else {
        self.watchPartialLine(hasNewLine: false, context: context)
      }
    }
  }
}

/// Sends a client the error that there are too many connections, and closes this one.
///
/// It reads and discards the client's data until the client disconnects, for one second at most:
/// closing a connection with unread bytes causes an error at the other end, which may then not see
/// the reason. It runs on the event loop only.
final class RefusalHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  static let budget = TimeAmount.seconds(1)

  private let error: ControlError
  private var timer: Scheduled<Void>?

  init(_ error: ControlError) { self.error = error }

  func channelActive(context: ChannelHandlerContext) {
    let line = ReplyCoder().encode(error: error, to: nil) + [UInt8(ascii: "\n")]
    context.channel.writeAndFlush(ByteBuffer(bytes: line), promise: nil)
    context.close(mode: .output, promise: nil)
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.budget) {
      context.close(promise: nil)
    }
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

  func channelReadComplete(context: ChannelHandlerContext) { context.read() }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed = event { context.close(promise: nil) }
  }

  func channelInactive(context: ChannelHandlerContext) { timer?.cancel() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
