import Glibc
import KettleControl
import KettleStarter
import KettleSystem

/// Couples standard input and output with the service's socket: the remote end of `RemoteStarter`.
package struct ServicePipe: Sendable {
  private let socket: SharedDescriptor
  private let starter: ServiceStarter
  private let traffic = Traffic()

  /// Connects to the service; if none runs, starts one when `startingIfNeeded` is set.
  ///
  /// - Parameter startingIfNeeded: Without it, throws `ClientError.notRunning`.
  package static func open(
    _ starter: ServiceStarter, startingIfNeeded: Bool
  ) throws(ClientError) -> ServicePipe {
    if startingIfNeeded {
      return ServicePipe(socket: SharedDescriptor(try starter.openSocket()), starter: starter)
    }
    guard let socket = try starter.openSocketIfRunning() else {
      throw .notRunning(socketPath: starter.paths.socketPath)
    }
    return ServicePipe(socket: SharedDescriptor(socket), starter: starter)
  }

  /// Returns when either direction ends. Throws `ClientError.notAnswering` when the service falls
  /// silent, which the other end of ssh cannot tell from a slow network.
  package func run() async throws(ClientError) {
    let processID = SocketAddressUnix.peerProcessID(of: socket.number)
    let pulse = ServicePulse(
      processID: processID, progress: { [traffic] in traffic.progress },
      greets: { [starter] in
        await ServiceConnection.greets(
          starter.paths, clientName: starter.clientName, helloBudget: starter.helloBudget)
      })
    let watch = Task { [socket, traffic] in
      guard await pulse.waitForSilence() else { return }
      traffic.noteSilence()
      // Ends both directions.
      shutdown(socket.number, Int32(SHUT_RDWR))
    }
    await couple()
    watch.cancel()
    if traffic.wasSilent { throw .notAnswering(processID: processID) }
  }

  /// Returns when either direction ends.
  private func couple() async {
    let flags = fcntl(socket.number, F_GETFL)
    _ = fcntl(socket.number, F_SETFL, flags & ~O_NONBLOCK)
    SystemThread.detach { [socket, traffic] in
      Self.copy(from: STDIN_FILENO, to: socket.number) { traffic.noteRequests($0) }
      // The service still has replies to send.
      shutdown(socket.number, Int32(SHUT_WR))
    }
    await withCheckedContinuation { continuation in
      SystemThread.detach { [socket, traffic] in
        Self.copy(from: socket.number, to: STDOUT_FILENO) { traffic.noteReplies($0) }
        continuation.resume()
      }
    }
  }

  /// - Parameter note: Gets each piece before it is written.
  private static func copy(
    from source: Int32, to target: Int32, note: (ArraySlice<UInt8>) -> Void
  ) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(source, &buffer, buffer.count)
      if count < 0, canRetry(source, POLLIN) { continue }
      guard count > 0 else { return }
      var rest = buffer[..<count]
      note(rest)
      while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(target, $0.baseAddress, $0.count) }
        if written < 0, canRetry(target, POLLOUT) { continue }
        guard written > 0 else { return }
        rest = rest.dropFirst(written)
      }
    }
  }

  /// Returns whether to repeat the failed call, after waiting if the descriptor was not ready.
  /// Another process that shares our standard streams may have made them non-blocking.
  private static func canRetry(_ descriptor: Int32, _ event: Int32) -> Bool {
    if errno == EAGAIN {
      var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
      poll(&entry, 1, -1)
      return true
    }
    return errno == EINTR
  }
}

/// What has passed in both directions.
private final class Traffic: Sendable {
  private struct State {
    var requestLineCount = 0
    var replyLineCount = 0
    var isLastFromClient = false
    var wasSilent = false
  }

  private let state = Mutex(State())

  func noteRequests(_ bytes: ArraySlice<UInt8>) {
    state.withLock { state in
      state.requestLineCount &+= Self.lineCount(bytes)
      state.isLastFromClient = true
    }
  }

  func noteReplies(_ bytes: ArraySlice<UInt8>) {
    state.withLock { state in
      state.replyLineCount &+= Self.lineCount(bytes)
      state.isLastFromClient = false
    }
  }

  func noteSilence() { state.withLock { $0.wasSilent = true } }

  var wasSilent: Bool { state.withLock { $0.wasSilent } }

  /// A request is certainly unanswered while fewer lines have come than went; more may have come,
  /// because notifications are lines too.
  var progress: ServicePulse.Progress {
    state.withLock { state in
      ServicePulse.Progress(
        isWaiting: state.isLastFromClient || state.requestLineCount > state.replyLineCount,
        receivedLineCount: state.replyLineCount)
    }
  }

  private static func lineCount(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.count { $0 == UInt8(ascii: "\n") }
  }
}
