import Foundation
import Glibc
import Testing

/// Responds in place of the service, like a service of another protocol version.
final class OtherVersion: Sendable {
  private let descriptor: Int32

  init(at path: String) throws {
    try FileManager.default.createDirectory(
      atPath: URL(filePath: path).deletingLastPathComponent().path(),
      withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let descriptor = descriptor
    let isBound = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(isBound == 0 && chmod(path, 0o600) == 0 && listen(descriptor, 8) == 0)
    Thread.detachNewThread {
      while true {
        let client = accept(descriptor, nil, nil)
        if client < 0 { return }
        var bytes = [UInt8](repeating: 0, count: 4096)
        _ = read(client, &bytes, bytes.count)
        let line =
          #"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":99,"#
          + #""serviceVersion":"99.0","processID":1}}"# + "\n"
        _ = send(client, line, line.utf8.count, Int32(MSG_NOSIGNAL))
        close(client)
      }
    }
  }

  func stop() {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }
}
