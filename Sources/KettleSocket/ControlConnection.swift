import NIOCore

/// One connection between a client and the service: lines in, lines out.
///
/// The owner closes it. As a safety net it is also closed when the last copy is gone.
package struct ControlConnection: Sendable {
  /// Who is at the other end, as the kernel says (SO_PEERCRED).
  package let peerUserID: Int64
  /// The process that connected; it may have ended since, or have given the socket to another.
  package let peerProcessID: Int64
  package let lines: ControlLines
  private let owner: ChannelOwner

  init(peerUserID: Int64, peerProcessID: Int64, lines: ControlLines, channel: any Channel) {
    self.peerUserID = peerUserID
    self.peerProcessID = peerProcessID
    self.lines = lines
    owner = ChannelOwner(channel: channel)
  }

  /// Sends the line and a line feed; returns when the kernel has taken all of it.
  ///
  /// So it waits as long as the other end does not read. It then ends by `close` from another
  /// task. Several tasks may send at once; lines are never mixed.
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

  /// Closes the connection in both directions; twice is the same as once.
  package func close() async {
    // The only way to fail is to be closed already.
    try? await owner.channel.close().get()
  }

  /// Closes the connection after `budget` unless the deadline is cancelled before.
  package func close(after budget: Duration) -> ControlDeadline {
    let channel = owner.channel
    return ControlDeadline(
      scheduled: channel.eventLoop.scheduleTask(in: budget.timeAmount) {
        channel.close(promise: nil)
      })
  }
}

/// The end of somebody's patience.
package struct ControlDeadline: Sendable {
  fileprivate let scheduled: Scheduled<Void>

  package func cancel() { scheduled.cancel() }
}

/// Closes the channel when nobody can use it any more.
private final class ChannelOwner: Sendable {
  let channel: any Channel

  init(channel: any Channel) { self.channel = channel }

  deinit { channel.close(promise: nil) }
}
