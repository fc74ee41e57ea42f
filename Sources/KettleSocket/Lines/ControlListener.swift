import CKettleLinux
import Glibc
import KettleControl
import KettleStarter
import KettleSystem
import NIOCore
import NIOPosix

/// The service's Unix-domain socket, which only its own user can reach.
package final class ControlListener: Sendable {
  package struct Limits: Sendable {
    /// A client beyond this limit receives an error, and its connection is closed.
    package var connectionCountMax: Int
    package var lineByteCountMax: Int
    /// The time limit for the rest of a line that was begun.
    package var partialLineBudget: Duration

    package init(
      connectionCountMax: Int = 256, lineByteCountMax: Int = LineDecoder.byteCountMaxFromClient,
      partialLineBudget: Duration = .seconds(30)
    ) {
      self.connectionCountMax = connectionCountMax
      self.lineByteCountMax = lineByteCountMax
      self.partialLineBudget = partialLineBudget
    }
  }

  /// Why a client was rejected.
  package enum Refusal: Hashable, Sendable {
    case foreignUser(Int64)
    case tooManyConnections(countMax: Int, processID: Int64)
  }

  private enum State {
    case listening(Place, any Channel)
    /// The socket belongs to a supervisor, which makes and removes its file.
    case lent(any Channel)
    case closed
  }

  /// Where the socket file is.
  struct Place {
    let path: String
    let file: SocketFile
  }

  /// Where a service may listen.
  package struct Paths: Hashable, Sendable {
    package var usual: String
    /// Used while the service of another home listens at the usual path, and while the usual
    /// directory cannot be restored. nil is none.
    package var fallback: String?

    package init(usual: String, fallback: String? = nil) {
      self.usual = usual
      self.fallback = fallback == usual ? nil : fallback
    }
  }

  package let paths: Paths
  /// Every client that connects, already verified to be the same user. There is one reader.
  package let connections: AsyncStream<ControlConnection>

  private let admission: ClientAdmission
  private let lock: ServiceLock
  private let instance: String?
  private let state: Mutex<State>

  private init(
    paths: Paths, lock: ServiceLock, instance: String?, admission: ClientAdmission,
    connections: AsyncStream<ControlConnection>, state: consuming State
  ) {
    self.paths = paths
    self.lock = lock
    self.instance = instance
    self.admission = admission
    self.connections = connections
    self.state = Mutex(state)
  }

  /// Where clients connect.
  package var socketPath: String {
    state.withLock { state in
      switch state {
      case .listening(let place, _): place.path
      case .lent, .closed: paths.usual
      }
    }
  }

  /// Starts listening at `socketPath`, and records it. Only the holder of the lock may replace an
  /// existing socket file; the listener keeps the lock for its lifetime.
  ///
  /// - Parameters:
  ///   - fallback: see `Paths`.
  ///   - instance: what `hello` answers.
  ///   - lent: the number of a socket that a supervisor already listens on. The listener closes it
  ///     and leaves its file alone.
  ///   - refused: called on the event loop for each rejected client.
  package static func start(
    at socketPath: String, fallback: String? = nil, holding lock: ServiceLock,
    instance: String? = nil, lent: Int32? = nil,
    limits: Limits = Limits(), userID: Int64 = Int64(geteuid()),
    refused: @escaping @Sendable (Refusal) -> Void = { _ in }
  ) async throws(ControlSocketError) -> ControlListener {
    let (connections, continuation) = AsyncStream.makeStream(of: ControlConnection.self)
    let admission = ClientAdmission(
      limits: limits, userID: userID, continuation: continuation, refused: refused)
    let paths = Paths(usual: socketPath, fallback: fallback)
    let bound =
      if let lent {
        Bound(
          try ListeningSocket.adopt(OwnedDescriptor(owning: lent), at: socketPath),
          path: socketPath)
      } else {
        try bind(paths) { if case .pathServed = $0 { true } else { false } }
      }
    let place = bound.place
    let channel = try await serve(bound.take(), path: place.path, admission: admission)
    do throws(ControlSocketError) {
      try lock.record(ServiceRecord(socketPath: place.path, instance: instance))
    } catch {
      // An event loop keeps its channels open until they are closed.
      try? await channel.close().get()
      throw error
    }
    return ControlListener(
      paths: paths, lock: lock, instance: instance, admission: admission,
      connections: connections, state: lent == nil ? .listening(place, channel) : .lent(channel))
  }

  /// A bound socket and where its file is.
  private struct Bound: ~Copyable {
    private let socket: ListeningSocket
    let place: Place

    init(_ socket: consuming ListeningSocket, path: String) {
      place = Place(path: path, file: socket.file)
      self.socket = socket
    }

    consuming func take() -> ListeningSocket { socket }
  }

  /// Binds at the usual path; at the other one after an error for which that may help.
  private static func bind(
    _ paths: Paths, mayFallBack: (ControlSocketError) -> Bool
  ) throws(ControlSocketError) -> Bound {
    do throws(ControlSocketError) {
      return Bound(try ListeningSocket.bind(at: paths.usual), path: paths.usual)
    } catch {
      guard let fallback = paths.fallback, mayFallBack(error) else { throw error }
      return Bound(try ListeningSocket.bind(at: fallback), path: fallback)
    }
  }

  /// Binds the socket again when its file is gone: the runtime directory is deleted at the last
  /// logout, and the service keeps running. Returns whether it was necessary.
  package func restoreSocketFile() async throws(ControlSocketError) -> Bool {
    let isInPlace = state.withLock { state in
      switch state {
      case .listening(let place, _): place.file.isFile(at: place.path)
      case .lent, .closed: true
      }
    }
    guard !isInPlace else { return false }
    let bound = try Self.bind(paths) { _ in true }
    let place = bound.place
    let channel = try await Self.serve(bound.take(), path: place.path, admission: admission)
    let outdated = state.withLock { state in
      switch state {
      case .listening(_, let old):
        state = .listening(place, channel)
        return old
      case .lent, .closed: return channel
      }
    }
    try lock.record(ServiceRecord(socketPath: place.path, instance: instance))
    try? await outdated.close().get()
    return true
  }

  /// Stops listening and removes the socket file. Open connections stay open.
  package func close() async {
    let old = state.withLock { state in
      defer { state = .closed }
      return state
    }
    switch old {
    case .closed: return
    case .lent(let channel): try? await channel.close().get()
    case .listening(let place, let channel):
      if place.file.isFile(at: place.path) { unlink(place.path) }
      try? await channel.close().get()
    }
    admission.end()
  }

  private static func serve(
    _ socket: consuming ListeningSocket, path: String, admission: ClientAdmission
  ) async throws(ControlSocketError) -> any Channel {
    // NIO owns the descriptor from here on, even if the call fails.
    let descriptor = socket.descriptor.release()
    do {
      return try await ServerBootstrap(group: ControlEventLoop.group)
        .serverChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            // Without free descriptors accept(2) fails repeatedly, so it backs off for a moment.
            try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler())
          }
        }
        .childChannelOption(.autoRead, value: false)
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try admission.admit(channel) }
        }
        .withBoundSocket(descriptor).get()
    } catch {
      throw ControlSocketError.system(call: "listen", path: path, code: EIO)
    }
  }
}

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
