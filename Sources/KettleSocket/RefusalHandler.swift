import KettleControl
import NIOCore

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
