import Foundation
import Glibc
import KettleSocket
import KettleStarter
import Testing

/// A directory of one test with the paths of a service, deleted at the end.
///
/// It is directly under /tmp because a socket path must be short.
final class SocketWorld: Sendable {
  let root: String
  let socketPath: String
  let lockPath: String

  init() throws {
    var template = Array("/tmp/kettle-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    socketPath = root + "/run/control.sock"
    lockPath = root + "/service.lock"
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func lock() throws -> ServiceLock { try #require(try ServiceLock.acquire(at: lockPath)) }

  func listener(
    limits: ControlListener.Limits = .init(), userID: Int64 = Int64(geteuid()),
    lent: Int32? = nil
  ) async throws -> ControlListener {
    try await ControlListener.start(
      at: socketPath, holding: try lock(), lent: lent, limits: limits, userID: userID)
  }

  /// A connection and its other end.
  func pair(
    _ listener: ControlListener
  ) async throws -> (client: ControlConnection, service: ControlConnection) {
    let client = try await ControlConnection.connect(to: socketPath)
    for await service in listener.connections { return (client, service) }
    throw ControlSocketError.closed
  }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

func mode(_ path: String) -> UInt32? {
  var status = stat()
  return lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
}

func createFile(_ path: String, _ content: String = "") throws {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
  try #require(descriptor >= 0)
  defer { close(descriptor) }
  let all = bytes(content)
  try #require(write(descriptor, all, all.count) == all.count)
}
