import Foundation
import TestSupport

/// vsftpd on the loopback, with one file for anonymous users. It needs root.
final class VsftpdServer: Sendable {
  struct Options: Sendable {
    var isPassive = true
    /// More connections of one client get a 421; nil: no limit.
    var connectionsMax: Int?
    var encryption = Encryption.none
  }

  enum Encryption {
    case none
    /// FTPS: TLS from the first byte.
    case implicit(TestAuthority.Identity)
    /// Nobody logs in before AUTH TLS.
    case demanded(TestAuthority.Identity)

    fileprivate var scheme: String {
      switch self {
      case .none, .demanded: "ftp"
      case .implicit: "ftps"
      }
    }

    /// The lines of the configuration.
    fileprivate var lines: String {
      switch self {
      case .none: ""
      case .implicit(let identity): lines(identity) + "\nimplicit_ssl=YES"
      case .demanded(let identity):
        lines(identity) + "\nforce_anon_logins_ssl=YES\nforce_anon_data_ssl=YES"
      }
    }

    private func lines(_ identity: TestAuthority.Identity) -> String {
      """
      ssl_enable=YES
      allow_anon_ssl=YES
      require_ssl_reuse=NO
      rsa_cert_file=\(identity.certificatePath)
      rsa_private_key_file=\(identity.keyPath)
      """
    }
  }

  let port: Int
  /// The file, which a test may replace.
  let path: String
  private let home: ServerHome
  private let directory: String
  private let scheme: String
  private let current = Monitor<ServerProgram?>(nil)

  init(_ body: SeededBody, _ options: Options = Options(), home: ServerHome) async throws {
    self.home = home
    port = try ServerProgram.freePort()
    scheme = options.encryption.scheme
    directory = try home.directory("vsftpd")
    let root = try home.directory("vsftpd/files")
    path = root + "/file.bin"
    try Data(body.bytes).write(to: URL(filePath: path))
    _ = try home.directory("vsftpd/logs")
    // vsftpd refuses a root that its user may write to.
    chmod(root, 0o755)
    chmod(try home.directory("vsftpd/empty"), 0o755)
    try await start(options)
  }

  var url: String { "\(scheme)://127.0.0.1:\(port)/file.bin" }

  func start(_ options: Options) async throws {
    let text = """
      listen=YES
      background=NO
      listen_address=127.0.0.1
      listen_port=\(port)
      anonymous_enable=YES
      no_anon_password=YES
      anon_root=\(directory)/files
      local_enable=NO
      pasv_enable=\(options.isPassive ? "YES" : "NO")
      \(options.connectionsMax.map { "max_per_ip=\($0)" } ?? "")
      secure_chroot_dir=\(directory)/empty
      seccomp_sandbox=NO
      xferlog_enable=YES
      xferlog_std_format=NO
      log_ftp_protocol=YES
      vsftpd_log_file=\(directory)/logs/log
      \(options.encryption.lines)

      """
    let configuration = directory + "/vsftpd.conf"
    try text.write(toFile: configuration, atomically: false, encoding: .utf8)
    let program = try ServerProgram(
      ["vsftpd", configuration], home: home, output: directory + "/output")
    current.update { $0 = program }
    try await ServerProgram.waitUntilListening(at: port, in: home)
  }

  func stop() async {
    let program = current.update { program in
      defer { program = nil }
      return program
    }
    await program?.stop()
  }

  /// Commands that contain a text, such as `"RETR `.
  func commands(_ text: String) throws -> [String] {
    try String(contentsOfFile: directory + "/logs/log", encoding: .utf8)
      .split(separator: "\n").map(String.init)
      .filter { $0.contains("FTP command") && $0.contains(text) }
  }
}
