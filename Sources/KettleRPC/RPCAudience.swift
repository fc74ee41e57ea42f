import KettleSystem
import NIOCore
import NIOWebSocket

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
