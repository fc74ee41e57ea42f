import Foundation
import Glibc
import KettleControl
import KettleSocket
import Testing

/// The home directory of one test, deleted at the end.
final class ClientWorld: Sendable {
  let root: String
  let environment: [String: String]
  let paths: ServicePaths

  init() throws {
    var template = Array("/tmp/kettle-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    environment = ["HOME": root, "PATH": "/usr/bin:/bin", "WORLD": root]
    paths = ServicePaths(environment: environment, passwordHome: root, userDirectories: nil)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func write(_ name: String, _ content: String) throws -> String {
    let path = root + "/" + name
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let all = Array(content.utf8)
    try #require(Glibc.write(descriptor, all, all.count) == all.count)
    return path
  }

  func read(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Glibc.read(descriptor, &piece, piece.count)
      guard count > 0 else { return String(decoding: all, as: UTF8.self) }
      all += piece.prefix(count)
    }
  }
}
