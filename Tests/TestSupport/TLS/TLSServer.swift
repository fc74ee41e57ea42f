import Foundation
import Glibc

/// `openssl s_server` on the loopback, with a certificate of its own unless it is given one.
package final class TLSServer {
  package static let program = "/usr/bin/openssl"
  package static var isThere: Bool { FileManager.default.isExecutableFile(atPath: program) }

  package let port: Int
  package let certificatePath: String
  private let directory: URL
  private let process: Running
  private let output: NamedPipe
  /// It was waited for, and its number may be another's.
  private var isGone = false

  package enum Page {
    /// What the test writes.
    case written
    /// The server's own status page, without a length, which ends by the rules (close_notify).
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
    // "ACCEPT 127.0.0.1:45678" says where it listens; "ACCEPT" alone, that it is where it was told.
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

  /// Blocks until the request is in, and answers what was said until then.
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

  /// Blocks until openssl says more; empty when it has ended.
  private static func next(_ what: String, from output: NamedPipe) throws -> String {
    let budgetMilliseconds: Int32 = 20_000
    guard let said = output.next(budgetMilliseconds: budgetMilliseconds) else {
      throw BudgetSpent(
        what: what, budgetMilliseconds: Int64(budgetMilliseconds), state: "openssl says nothing")
    }
    return said
  }

  package func write(_ text: String) throws { try process.write(text) }

  /// Ends the connection as a cut cable or an attacker does: TCP ends, TLS does not.
  package func kill() {
    if !isGone { process.send(SIGKILL) }
  }

  /// Its port is free then.
  package func waitUntilGone() {
    if !isGone { _ = process.waitForEnd() }
    isGone = true
  }

  /// Makes a certificate for 127.0.0.1 that is signed with its own key.
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
