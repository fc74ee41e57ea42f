import KettleControl
import KettleSystem
import NIOCore
import NIOPosix

extension ControlConnection {
  /// Takes ownership of a connected stream socket to a program that forwards the lines. The
  /// connection closes it. The user at the other end is unknown.
  package static func adopt(
    _ descriptor: consuming OwnedDescriptor,
    lineByteCountMax: Int = LineDecoder.byteCountMaxFromService
  ) async throws(ControlSocketError) -> ControlConnection {
    try await adopt(
      descriptor, lineByteCountMax: lineByteCountMax, peerUserID: -1, peerProcessID: -1)
  }

  static func adopt(
    _ descriptor: consuming OwnedDescriptor, lineByteCountMax: Int, peerUserID: Int64,
    peerProcessID: Int64
  ) async throws(ControlSocketError) -> ControlConnection {
    let limits = LineHandler.Limits(lineByteCountMax: lineByteCountMax, partialLineBudget: nil)
    // NIO owns the descriptor from here on, even if the call fails.
    let number = descriptor.release()
    do {
      return try await ClientBootstrap(group: ControlEventLoop.group)
        .channelOption(.autoRead, value: false)
        .withConnectedSocket(number) { channel in
          channel.eventLoop.makeCompletedFuture {
            let (lines, source) = ControlLines.make(on: channel)
            try channel.pipeline.syncOperations.addHandler(
              LineHandler(limits: limits, source: source, activated: nil))
            return ControlConnection(
              peerUserID: peerUserID, peerProcessID: peerProcessID, lines: lines,
              channel: channel)
          }
        }
    } catch {
      throw ControlSocketError.closed
    }
  }
}
