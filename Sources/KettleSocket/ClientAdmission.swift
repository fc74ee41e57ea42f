import CKettleLinux
import KettleControl
import KettleSystem
import NIOCore
import NIOPosix

/// Accepts or rejects clients, and counts the connected ones.
final class ClientAdmission: Sendable {
  struct Rejected: Error {}

  /// How many connections may be open beyond the maximum while an error is sent on them. Others are
  /// closed without one. Few, because a process with few descriptors has none to spare.
  private var refusalCountMax: Int { max(limits.connectionCountMax / 16, 1) }

  /// How a connection is counted.
  private enum Category: Sendable {
    case open
    /// It is being sent the error that there are too many.
    case refused
  }

  private let limits: ControlListener.Limits
  private let userID: Int64
  private let continuation: AsyncStream<ControlConnection>.Continuation
  private let refused: @Sendable (ControlListener.Refusal) -> Void
  private let counts = Mutex<[Category: Int]>([:])

  init(
    limits: ControlListener.Limits, userID: Int64,
    continuation: AsyncStream<ControlConnection>.Continuation,
    refused: @escaping @Sendable (ControlListener.Refusal) -> Void
  ) {
    self.limits = limits
    self.userID = userID
    self.continuation = continuation
    self.refused = refused
  }

  /// Called on the event loop for each accepted connection. If it throws, the connection is closed.
  func admit(_ channel: any Channel) throws {
    let pipeline = channel.pipeline.syncOperations
    let peer = try pipeline.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
      (userID: Int64(kettle_peer_uid($0)), processID: Int64(kettle_peer_pid($0)))
    }
    // Compares numbers, not names; -1 (unknown) matches no user.
    guard let peer, peer.userID == userID else {
      refused(.foreignUser(peer?.userID ?? -1))
      throw Rejected()
    }
    guard count(channel, as: .open, countMax: limits.connectionCountMax) else {
      refused(.tooManyConnections(countMax: limits.connectionCountMax, processID: peer.processID))
      guard count(channel, as: .refused, countMax: refusalCountMax) else { throw Rejected() }
      let error = ControlError(.tooManyConnections, String(limits.connectionCountMax))
      return try pipeline.addHandler(RefusalHandler(error))
    }

    let (lines, source) = ControlLines.make(on: channel)
    let connection = ControlConnection(
      peerProcessID: peer.processID, lines: lines, channel: channel)
    let handler = LineHandler(
      limits: LineHandler.Limits(
        lineByteCountMax: limits.lineByteCountMax, partialLineBudget: limits.partialLineBudget),
      source: source,
      activated: { self.continuation.yield(connection) })
    try pipeline.addHandler(handler)
  }

  func end() { continuation.finish() }

  /// Counts a connection until it closes. Returns false when there are already `countMax`.
  private func count(_ channel: any Channel, as category: Category, countMax: Int) -> Bool {
    let isCounted = counts.withLock { counts in
      let count = counts[category, default: 0]
      guard count < countMax else { return false }
      counts[category] = count + 1
      return true
    }
    guard isCounted else { return false }
    channel.closeFuture.whenComplete { _ in
      self.counts.withLock { $0[category, default: 0] -= 1 }
    }
    return true
  }
}
