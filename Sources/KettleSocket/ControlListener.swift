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
    case listening(SocketFile, any Channel)
    /// The socket belongs to a supervisor, which makes and removes its file.
    case lent(any Channel)
    case closed
  }

  package let socketPath: String
  /// Every client that connects, already verified to be the same user. There is one reader.
  package let connections: AsyncStream<ControlConnection>

  private let admission: ClientAdmission
  private let lock: ServiceLock
  private let state: Mutex<State>

  private init(
    socketPath: String, lock: ServiceLock, admission: ClientAdmission,
    connections: AsyncStream<ControlConnection>, state: consuming State
  ) {
    self.socketPath = socketPath
    self.lock = lock
    self.admission = admission
    self.connections = connections
    self.state = Mutex(state)
  }

  /// Starts listening at `socketPath`. Only the holder of the lock may replace an existing socket
  /// file; the listener keeps the lock for its lifetime.
  ///
  /// - Parameters:
  ///   - lent: the number of a socket that a supervisor already listens on. The listener closes it
  ///     and leaves its file alone.
  ///   - refused: called on the event loop for each rejected client.
  package static func start(
    at socketPath: String, holding lock: ServiceLock, lent: Int32? = nil,
    limits: Limits = Limits(), userID: Int64 = Int64(geteuid()),
    refused: @escaping @Sendable (Refusal) -> Void = { _ in }
  ) async throws(ControlSocketError) -> ControlListener {
    let (connections, continuation) = AsyncStream.makeStream(of: ControlConnection.self)
    let admission = ClientAdmission(
      limits: limits, userID: userID, continuation: continuation, refused: refused)
    let socket =
      if let lent {
        try ListeningSocket.adopt(OwnedDescriptor(owning: lent), at: socketPath)
      } else {
        try ListeningSocket.bind(at: socketPath)
      }
    let file = socket.file
    let channel = try await serve(socket, path: socketPath, admission: admission)
    do throws(ControlSocketError) {
      try lock.record(socketPath: socketPath)
    } catch {
      // An event loop keeps its channels open until they are closed.
      try? await channel.close().get()
      throw error
    }
    return ControlListener(
      socketPath: socketPath, lock: lock, admission: admission, connections: connections,
      state: lent == nil ? .listening(file, channel) : .lent(channel))
  }

  /// Binds the socket again when its file is gone: the runtime directory is deleted at the last
  /// logout, and the service keeps running. Returns whether it was necessary.
  package func restoreSocketFile() async throws(ControlSocketError) -> Bool {
    let isInPlace = state.withLock { state in
      switch state {
      case .listening(let file, _): file.isFile(at: socketPath)
      case .lent, .closed: true
      }
    }
    guard !isInPlace else { return false }
    let socket = try ListeningSocket.bind(at: socketPath)
    let file = socket.file
    let channel = try await Self.serve(socket, path: socketPath, admission: admission)
    let outdated = state.withLock { state in
      switch state {
      case .listening(_, let old):
        state = .listening(file, channel)
        return old
      case .lent, .closed: return channel
      }
    }
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
    case .listening(let file, let channel):
      if file.isFile(at: socketPath) { unlink(socketPath) }
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
