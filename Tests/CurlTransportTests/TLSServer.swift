import Foundation
import Glibc

/// `openssl s_server` on the loopback, with a certificate of its own.
final class TLSServer {
  static let program = "/usr/bin/openssl"
  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: program) }

  let port: Int
  let certificatePath: String
  private let directory: URL
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  enum Page {
    /// What the test writes.
    case written
    /// The server's own status page, without a length, which ends by the rules (close_notify).
    case status
  }

  init(_ page: Page) throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("kettle-tls-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let key = directory.appendingPathComponent("key.pem").path
    certificatePath = directory.appendingPathComponent("certificate.pem").path
    try Self.makeCertificate(key: key, certificate: certificatePath)

    process.executableURL = URL(fileURLWithPath: Self.program)
    process.arguments = [
      "s_server", "-accept", "127.0.0.1:0", "-key", key, "-cert", certificatePath,
      "-naccept", "1",
    ]
    switch page {
    case .written: break
    case .status: process.arguments?.append("-www")
    }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    // "ACCEPT 127.0.0.1:45678" says where it listens.
    var said = ""
    var found: Int?
    while found == nil {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw CocoaError(.executableLoad) }
      said += String(decoding: more, as: UTF8.self)
      let whole = said[..<(said.lastIndex(of: "\n") ?? said.startIndex)]
      let line = whole.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") }
      found = line?.split(separator: ":").last.flatMap { Int($0) }
    }
    port = found ?? 0
  }

  deinit {
    kill()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: directory)
  }

  /// Blocks until the request is in.
  func waitForRequest() {
    var said = ""
    while !said.contains("\r\n\r\n"), !said.contains("\n\n") {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return }
      said += String(decoding: more, as: UTF8.self)
    }
  }

  func write(_ text: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
  }

  /// Ends the connection as a cut cable or an attacker does: TCP ends, TLS does not.
  func kill() {
    if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
  }

  private static func makeCertificate(key: String, certificate: String) throws {
    let maker = Process()
    maker.executableURL = URL(fileURLWithPath: program)
    maker.arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-days", "2", "-subj", "/CN=kettle test", "-addext", "subjectAltName=IP:127.0.0.1",
      "-keyout", key, "-out", certificate,
    ]
    maker.standardError = FileHandle.nullDevice
    try maker.run()
    maker.waitUntilExit()
  }
}
