import Foundation
import Glibc

/// `openssl s_server` on the loopback interface, with its own certificate unless one is given.
package final class TLSServer {
  package static let program = "/usr/bin/openssl"
  package static var isThere: Bool { FileManager.default.isExecutableFile(atPath: program) }

  package let port: Int
  package let certificatePath: String
  private let directory: URL
  private let process: Running
  private let output: NamedPipe
  /// The process was reaped, and its id may belong to another one.
  private var isGone = false

  package enum Page {
    /// The bytes that the test writes.
    case written
    /// The server's own status page, without a length, which ends properly (close_notify).
    case status
  }

  package init(
    _ page: Page, identity: TestAuthority.Identity? = nil, port wanted: Int = 0,
    connectionCount: Int = 1, arguments: [String] = []
  ) throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("kettle-tls-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let own = TestAuthority.Identity(
      certificatePath: directory.appendingPathComponent("certificate.pem").path,
      keyPath: directory.appendingPathComponent("key.pem").path)
    if identity == nil {
      try Self.makeCertificate(key: own.keyPath, certificate: own.certificatePath)
    }
    let identity = identity ?? own
    certificatePath = identity.certificatePath

    let page =
      switch page {
      case .written: [String]()
      case .status: ["-www"]
      }
    let output = try NamedPipe(directory.appendingPathComponent("said").path)
    process = try Running(
      Self.program,
      [
        "s_server", "-accept", "127.0.0.1:\(wanted)", "-key", identity.keyPath, "-cert",
        identity.certificatePath, "-naccept", "\(connectionCount)",
      ] + arguments + page, [:], output: output.path)
    self.output = output
    // "ACCEPT 127.0.0.1:45678" has the address; "ACCEPT" alone means the requested address.
    var said = ""
    var found: Int?
    while found == nil {
      let more = try Self.next("where openssl listens", from: output)
      guard !more.isEmpty else { throw CocoaError(.executableLoad) }
      said += more
      let whole = said[..<(said.lastIndex(of: "\n") ?? said.startIndex)]
      let line = whole.split(separator: "\n").first { $0.hasPrefix("ACCEPT") }
      found = line?.split(separator: ":").last.map { Int($0) ?? wanted }
    }
    port = found ?? 0
  }

  deinit {
    kill()
    waitUntilGone()
    try? FileManager.default.removeItem(at: directory)
  }

  /// Blocks until the request has arrived, and returns the output up to then.
  @discardableResult
  package func waitForRequest() throws -> String {
    var said = ""
    while !said.contains("\r\n\r\n"), !said.contains("\n\n") {
      let more = try Self.next("a request over TLS", from: output)
      if more.isEmpty { return said }
      said += more
    }
    return said
  }

  /// Blocks until openssl has more output; empty when it has ended.
  private static func next(_ what: String, from output: NamedPipe) throws -> String {
    let budgetMilliseconds: Int32 = 20_000
    guard let said = output.next(budgetMilliseconds: budgetMilliseconds) else {
      throw BudgetSpent(
        what: what, budgetMilliseconds: Int64(budgetMilliseconds), state: "openssl says nothing")
    }
    return said
  }

  package func write(_ text: String) throws { try process.write(text) }

  /// Ends the connection like a cut cable or an attacker: TCP ends without the end of TLS.
  package func kill() {
    if !isGone { process.send(SIGKILL) }
  }

  /// Waits until the server has ended; its port is free when this returns.
  package func waitUntilGone() {
    if !isGone { _ = process.waitForEnd() }
    isGone = true
  }

  /// Creates a self-signed certificate for 127.0.0.1.
  package static func makeCertificate(key: String, certificate: String) throws {
    let arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-days", "2", "-subj", "/CN=kettle test", "-addext", "subjectAltName=IP:127.0.0.1",
      "-keyout", key, "-out", certificate,
    ]
    let maker = try Running(program, arguments, [:], output: "/dev/null")
    guard maker.waitForEnd() == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}
