import Foundation
import Glibc
import KettleControl
import KettleDaemon
import KettleSystem

/// A service in this process, with a separate home. No request leaves the machine: its proxy is a
/// loopback port on which nothing listens.
final class ServiceUnderFuzz: Sendable {
  struct Problem: Error { var what: String }

  private let root: String
  private let paths: ServicePaths
  private let running: Task<TransferService.End, Never>

  init() async throws {
    root = try TemporaryFolder.make("kettle-fuzz-service")
    var environment = ["HOME": root, "XDG_RUNTIME_DIR": root + "/run"]
    for name in ["http_proxy", "https_proxy", "all_proxy"] {
      environment[name] = "http://127.0.0.1:9"
    }
    paths = ServicePaths(
      environment: environment, passwordHome: root, userDirectories: nil)
    for folder in [root + "/run", paths.documentsDirectory] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Problem(what: "no pipe") }
    let reading = OwnedDescriptor(owning: ends[0])
    // The service closes the other end itself.
    let options = TransferService.Options(
      paths: paths, environment: environment, readyDescriptor: ends[1])
    running = Task { await TransferService(options).run() }
    let isReady = await Self.onThread { [number = reading.number] in
      Self.isReadable(number, milliseconds: 30_000)
    }
    _ = consume reading
    guard isReady else { throw Problem(what: "the service did not start") }
  }

  /// Stops the service with a client's request, and returns how it ended.
  func stop() async -> TransferService.End {
    let lines = [
      #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"client":"fuzz","protocolVersion":1}}"#,
      #"{"jsonrpc":"2.0","id":2,"method":"service.stop"}"#,
    ]
    _ = await talk(lines.flatMap { Array(($0 + "\n").utf8) })
    let end = await running.value
    try? FileManager.default.removeItem(atPath: root)
    return end
  }

  /// Connects, sends all bytes, and returns what it receives until the service closes the
  /// connection.
  func talk(_ bytes: [UInt8]) async -> Result<[UInt8], Problem> {
    let path = paths.socketPath
    return await Self.onThread { Self.talk(bytes, at: path) }
  }

  private static func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }

  private static func talk(_ bytes: [UInt8], at path: String) -> Result<[UInt8], Problem> {
    let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { return .failure(Problem(what: "no socket: errno \(errno)")) }
    let client = OwnedDescriptor(owning: number)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let status = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(client.number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else {
      return .failure(Problem(what: "the service does not answer: errno \(errno)"))
    }
    return exchange(bytes, on: client.number)
  }

  /// The input is smaller than the kernel's buffer, so writing all of it first cannot block for
  /// ever.
  private static func exchange(
    _ bytes: [UInt8], on number: Int32
  ) -> Result<[UInt8], Problem> {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        send(
          number, buffer.baseAddress?.advanced(by: sent), buffer.count - sent,
          Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { break }
      sent += count
    }
    shutdown(number, Int32(SHUT_WR))
    var received: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    while isReadable(number, milliseconds: 30_000) {
      let count = recv(number, &piece, piece.count, 0)
      guard count > 0 else { return .success(received) }
      received += piece[..<count]
    }
    return .failure(Problem(what: "the connection hangs after \(received.count) bytes"))
  }

  private static func isReadable(_ number: Int32, milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, milliseconds) > 0
  }
}
