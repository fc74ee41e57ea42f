import ControlProtocol
import NIOCore
import NIOPosix

extension ControlConnection {
  /// Takes over a stream socket that is connected already, to a program that hands the lines on.
  /// The descriptor is closed with the connection; nothing is known of who is at its end.
  package static func adopt(
    _ descriptor: Int32, lineByteCountMax: Int = LineDecoder.byteCountMaxFromService
  ) async throws(ControlSocketError) -> ControlConnection {
    try await adopt(
      descriptor, lineByteCountMax: lineByteCountMax, peerUserID: -1, peerProcessID: -1)
  }

  static func adopt(
    _ descriptor: Int32, lineByteCountMax: Int, peerUserID: Int64, peerProcessID: Int64
  ) async throws(ControlSocketError) -> ControlConnection {
    let limits = LineHandler.Limits(lineByteCountMax: lineByteCountMax, partialLineBudget: nil)
    do {
      return try await ClientBootstrap(group: ControlEventLoop.group)
        .channelOption(.autoRead, value: false)
        .withConnectedSocket(descriptor) { channel in
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
