import CLinux
import NIOCore
import NIOPosix
import KettleSystem

/// Lets clients in, or not, and counts those inside.
final class Reception: Sendable {
  struct Refused: Error {}

  private let limits: ControlListener.Limits
  private let userID: Int64
  private let continuation: AsyncStream<ControlConnection>.Continuation
  private let openCount = Mutex(0)

  init(
    limits: ControlListener.Limits, userID: Int64,
    continuation: AsyncStream<ControlConnection>.Continuation
  ) {
    self.limits = limits
    self.userID = userID
    self.continuation = continuation
  }

  /// Called on the event loop for each accepted connection; one that throws is closed.
  func receive(_ channel: any Channel) throws {
    let pipeline = channel.pipeline.syncOperations
    let peer = try pipeline.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
      (userID: Int64(kettle_peer_uid($0)), processID: Int64(kettle_peer_pid($0)))
    }
    // Numbers, not texts, and -1 (not known) is nobody.
    guard let peer, peer.userID == userID else { throw Refused() }
    guard takePlace() else { throw Refused() }
    channel.closeFuture.whenComplete { _ in self.openCount.withLock { $0 -= 1 } }

    let (lines, source) = ControlLines.make(on: channel)
    let connection = ControlConnection(
      peerUserID: peer.userID, peerProcessID: peer.processID, lines: lines, channel: channel)
    let handler = LineHandler(
      limits: LineHandler.Limits(
        lineByteCountMax: limits.lineByteCountMax, partialLineBudget: limits.partialLineBudget),
      source: source,
      activated: { self.continuation.yield(connection) })
    try pipeline.addHandler(handler)
  }

  func end() { continuation.finish() }

  private func takePlace() -> Bool {
    openCount.withLock { count in
      guard count < limits.connectionCountMax else { return false }
      count += 1
      return true
    }
  }
}
