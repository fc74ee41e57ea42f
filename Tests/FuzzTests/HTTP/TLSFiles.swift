import Foundation
import Glibc
import TestSupport

/// `openssl s_server` that replies with the files of a folder, each a complete reply.
final class TLSFiles: Sendable {
  let port: Int
  let certificatePath: String
  private let folder: String
  private let process: Running

  init() async throws {
    folder = try TemporaryFolder.make("kettle-fuzz-tls")
    let key = folder + "/key.pem"
    certificatePath = folder + "/certificate.pem"
    try TLSServer.makeCertificate(key: key, certificate: certificatePath)
    let output = try NamedPipe(folder + "/said")
    let command =
      "cd \(folder) && exec \(TLSServer.program) s_server -accept 127.0.0.1:0"
      + " -key \(key) -cert \(certificatePath) -HTTP"
    process = try Running("/bin/sh", ["-c", command], [:], output: output.path)
    let said = Monitor("")
    Thread.detachNewThread {
      while case let more = output.next(), !more.isEmpty {
        // Its output about each request is not needed.
        said.update { if $0.count < 10_000 { $0 += more } }
      }
    }
    let text = try await said.wait(for: "openssl s_server") { Self.port(in: $0) != nil }
    port = Self.port(in: text) ?? 0
  }

  deinit {
    process.send(SIGKILL)
    _ = process.waitForEnd()
    try? FileManager.default.removeItem(atPath: folder)
  }

  func put(_ reply: [UInt8], as name: String) {
    _ = FileManager.default.createFile(atPath: folder + "/" + name, contents: Data(reply))
  }

  func remove(_ name: String) { try? FileManager.default.removeItem(atPath: folder + "/" + name) }

  /// "ACCEPT 127.0.0.1:45678"
  private static func port(in said: String) -> Int? {
    let whole = said[..<(said.lastIndex(of: "\n") ?? said.startIndex)]
    let line = whole.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") }
    return line?.split(separator: ":").last.flatMap { Int($0) }
  }
}
