import NIOCore

/// One connection between a client and the service: lines in, lines out.
///
/// The owner closes it. As a safety net, releasing the last copy closes it too.
package struct ControlConnection: Sendable {
  /// The user at the other end, as reported by the kernel (SO_PEERCRED).
  package let peerUserID: Int64
  /// The process that connected. It may have exited or passed the socket on since.
  package let peerProcessID: Int64
  package let lines: ControlLines
  private let owner: ChannelOwner

  init(peerUserID: Int64, peerProcessID: Int64, lines: ControlLines, channel: any Channel) {
    self.peerUserID = peerUserID
    self.peerProcessID = peerProcessID
    self.lines = lines
    owner = ChannelOwner(channel: channel)
  }

  /// Sends the line and a line feed. Returns when the kernel has accepted all of it.
  ///
  /// It therefore waits while the other end does not read; `close` from another task ends the wait.
  /// Several tasks may send at once; lines are never interleaved.
  package func send(_ line: [UInt8]) async throws(ControlSocketError) {
    var buffer = owner.channel.allocator.buffer(capacity: line.count + 1)
    buffer.writeBytes(line)
    buffer.writeInteger(UInt8(ascii: "\n"))
    do {
      try await owner.channel.writeAndFlush(buffer).get()
    } catch {
      throw ControlSocketError.closed
    }
  }

  /// Closes the connection in both directions. Idempotent.
  package func close() async {
    // It can only fail because the channel is already closed.
    try? await owner.channel.close().get()
  }

  /// Closes the connection after `budget` unless the deadline is cancelled first.
  package func close(after budget: Duration) -> ControlDeadline {
    let channel = owner.channel
    return ControlDeadline(
      scheduled: channel.eventLoop.scheduleTask(in: budget.timeAmount) {
        channel.close(promise: nil)
      })
  }
}

/// A scheduled close that can be cancelled.
package struct ControlDeadline: Sendable {
  fileprivate let scheduled: Scheduled<Void>

  package func cancel() { scheduled.cancel() }
}

/// Closes the channel when the last reference is released.
private final class ChannelOwner: Sendable {
  let channel: any Channel

  init(channel: any Channel) { self.channel = channel }

  deinit { channel.close(promise: nil) }
}
