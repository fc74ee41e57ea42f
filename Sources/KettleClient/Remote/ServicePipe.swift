import Glibc
import KettleControl
import KettleStarter
import KettleSystem

/// Couples standard input and output with the service's socket: the remote end of `RemoteStarter`.
package struct ServicePipe: Sendable {
  private let socket: SharedDescriptor

  /// Connects to the service; if none runs, starts one when `startingIfNeeded` is set.
  ///
  /// - Parameter startingIfNeeded: Without it, throws `ClientError.notRunning`.
  package static func open(
    _ starter: ServiceStarter, startingIfNeeded: Bool
  ) throws(ClientError) -> ServicePipe {
    if startingIfNeeded {
      return ServicePipe(socket: SharedDescriptor(try starter.openSocket()))
    }
    guard let socket = try starter.openSocketIfRunning() else {
      throw .notRunning(socketPath: starter.paths.socketPath)
    }
    return ServicePipe(socket: SharedDescriptor(socket))
  }

  /// Returns when either direction ends.
  package func run() async {
    // Each direction blocks on its own thread, so that no byte is held back.
    let flags = fcntl(socket.number, F_GETFL)
    _ = fcntl(socket.number, F_SETFL, flags & ~O_NONBLOCK)
    SystemThread.detach { [socket] in
      Self.copy(from: STDIN_FILENO, to: socket.number)
      // The service still has replies to send.
      shutdown(socket.number, Int32(SHUT_WR))
    }
    await withCheckedContinuation { continuation in
      SystemThread.detach { [socket] in
        Self.copy(from: socket.number, to: STDOUT_FILENO)
        continuation.resume()
      }
    }
  }

  private static func copy(from source: Int32, to target: Int32) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(source, &buffer, buffer.count)
      if count < 0, canRetry(source, POLLIN) { continue }
      guard count > 0 else { return }
      var rest = buffer[..<count]
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
