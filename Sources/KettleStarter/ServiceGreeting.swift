import Glibc
import KettleControl
import KettleSystem

/// Asks the service at a path which one it is, on a connection of its own and on the calling
/// thread.
struct ServiceGreeting {
  let clientName: String
  let budget: Duration
  private static let startBudget = Duration.seconds(30)

  /// Returns whether the service is the one that the record at `lockPath` names. A reply that does
  /// not tell, such as a refusal, counts as yes: the caller's own greeting gets the same.
  ///
  /// Throws `ClientError.notAnswering` when no reply arrives in time.
  func isAnswered(at path: String, byServiceOf lockPath: String) throws(ClientError) -> Bool {
    let socket: OwnedDescriptor
    do throws(ControlSocketError) {
      socket = try SocketAddressUnix.connectedSocket(path)
    } catch {
      // None listens, it is just ending, or has a full backlog; the caller notices too.
      return true
    }
    let coder = RequestCoder()
    guard let request = try? coder.encode(Hello.self, Hello.Params(client: clientName), id: 1),
      let line = try line(after: request + [UInt8(ascii: "\n")], over: socket, lockPath),
      case .result(_, let result) = ReplyCoder().decode(line),
      let reply = try? result.decode(Hello.Result.self),
      reply.protocolVersion == ProtocolVersion.current
    else { return true }
    return ServiceRecord.read(at: lockPath)?.isOf(instance: reply.instance) ?? false
  }

  /// Sends the request and returns the first line of the reply; nil when the connection ends.
  private func line(
    after request: [UInt8], over socket: borrowing OwnedDescriptor, _ lockPath: String
  ) throws(ClientError) -> [UInt8]? {
    guard send(socket.number, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
      return nil
    }
    // A socket of systemd accepts clients while the service is started, which may take long.
    let isStarting = ServiceRecord.read(at: lockPath) == nil
    let deadline = ContinuousClock.now + (isStarting ? Self.startBudget : budget)
    var lines: [[UInt8]] = []
    var decoder = LineDecoder(byteCountMax: 64 * 1024)
    var piece = [UInt8](repeating: 0, count: 4096)
    while lines.isEmpty {
      var entry = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
      let left = max(.zero, deadline - .now)
      let ready = poll(&entry, 1, left.pollMilliseconds)
      if ready == -1, errno == EINTR { continue }
      guard ready > 0 else {
        throw .notAnswering(processID: SocketAddressUnix.peerProcessID(of: socket.number))
      }
      let count = recv(socket.number, &piece, piece.count, 0)
      if count == -1, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0,
        (try? decoder.decode(piece.span.extracting(first: count), into: &lines)) != nil
      else { return nil }
    }
    return lines.first
  }
}
