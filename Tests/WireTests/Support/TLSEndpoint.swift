import Foundation
import Glibc
import KettleModel
import TestSupport

/// `openssl s_server` on the loopback: it records what a client sends, and sends what the test
/// says.
final class TLSEndpoint: Sendable {
  static let program = "/usr/bin/openssl"
  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: program) }

  let port: Int
  let certificatePath: String
  /// The received bytes, decrypted, after the program's own output.
  let received = Monitor("")
  private let directory: String
  private let process: Running

  init() async throws {
    directory =
      FileManager.default.temporaryDirectory.path + "/kettle-wire-tls-"
      + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    let key = directory + "/key.pem"
    certificatePath = directory + "/certificate.pem"
    try TLSServer.makeCertificate(key: key, certificate: certificatePath)
    let output = try NamedPipe(directory + "/said")
    process = try Running(
      Self.program,
      ["s_server", "-accept", "127.0.0.1:0", "-key", key, "-cert", certificatePath], [:],
      output: output.path)
    Thread.detachNewThread { [received] in
      while case let said = output.next(), !said.isEmpty { received.update { $0 += said } }
    }
    // "ACCEPT 127.0.0.1:45678" shows the address on which it listens.
    let said = try await received.wait(for: "openssl s_server") { Self.port(in: $0) != nil }
    port = Self.port(in: said) ?? 0
  }

  deinit {
    process.send(SIGKILL)
    _ = process.waitForEnd()
    try? FileManager.default.removeItem(atPath: directory)
  }

  func url(_ path: String) throws -> TransferURL {
    try TransferURL.parse("https://127.0.0.1:\(port)\(path)").get().url
  }

  /// Waits for the empty line after a request, and returns everything received.
  func waitForRequest() async throws -> String {
    try await received.wait(for: "a request over TLS") { $0.contains("\r\n\r\n") }
  }

  func send(_ text: String) throws { try process.write(text) }

  private static func port(in said: String) -> Int? {
    let whole = said[..<(said.lastIndex(of: "\n") ?? said.startIndex)]
    let line = whole.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") }
    return line?.split(separator: ":").last.flatMap { Int($0) }
  }
}
