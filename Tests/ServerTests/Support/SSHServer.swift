import Foundation
import TestSupport

/// OpenSSH's server on the loopback, which serves every file of this machine to the user of the
/// test by key.
final class SSHServer: Sendable {
  let port: Int
  let path: String
  /// The public key of the host, as in a `.pub` file.
  let hostKey: String
  private let home: ServerHome

  init(_ body: SeededBody, home: ServerHome) async throws {
    self.home = home
    port = try ServerProgram.freePort()
    let directory = try home.directory("ssh")
    path = directory + "/file.bin"
    try Data(body.bytes).write(to: URL(filePath: path))
    hostKey = try await Self.makeKey(directory + "/host", in: home)
    let userKey = try await Self.makeKey(directory + "/user", in: home)
    try userKey.write(toFile: directory + "/authorized", atomically: false, encoding: .utf8)
    let own = home.path + "/.ssh"
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    chmod(own, 0o700)
    try FileManager.default.copyItem(atPath: directory + "/user", toPath: own + "/id_ed25519")
    if geteuid() == 0 {
      // The package makes it when its own service starts (sshd(8), privilege separation).
      try FileManager.default.createDirectory(
        atPath: "/run/sshd", withIntermediateDirectories: true)
    }
    let text = """
      Port \(port)
      ListenAddress 127.0.0.1
      HostKey \(directory)/host
      PidFile \(directory)/pid
      AuthorizedKeysFile \(directory)/authorized
      StrictModes no
      UsePAM no
      PermitRootLogin yes
      Subsystem sftp internal-sftp

      """
    let configuration = directory + "/sshd_config"
    try text.write(toFile: configuration, atomically: false, encoding: .utf8)
    _ = try ServerProgram(
      // sshd wants to be started by its full name.
      ["/usr/sbin/sshd", "-D", "-e", "-f", configuration], home: home,
      output: directory + "/output")
    try await ServerProgram.waitUntilListening(at: port, in: home)
  }

  var url: String { url() }

  func url(login: String = "") -> String { "sftp://\(login)127.0.0.1:\(port)\(path)" }

  /// Moves the key of the user from its file into an ssh-agent at `HOME/agent`.
  func useAgent() async throws {
    _ = try ServerProgram(
      ["ssh-agent", "-D", "-a", home.path + "/agent"], home: home,
      output: home.path + "/ssh/agent-output")
    let file = home.path + "/.ssh/id_ed25519"
    for _ in 0..<200 where access(home.path + "/agent", F_OK) != 0 {
      _ = try await home.run(["true"])
    }
    let outcome = try await home.run(["ssh-add", "-q", file])
    guard outcome.code == 0 else { throw NoKey(text: outcome.text) }
    try FileManager.default.removeItem(atPath: file)
  }

  /// Gives the key of the user a passphrase.
  func lockKey() async throws {
    let outcome = try await home.run(
      [
        "ssh-keygen", "-q", "-p", "-P", "", "-N", "secret words", "-f",
        home.path + "/.ssh/id_ed25519",
      ])
    guard outcome.code == 0 else { throw NoKey(text: outcome.text) }
  }

  /// Writes the known hosts of the service: this server with a key.
  func trust(_ key: String) throws {
    let fields = key.split(separator: " ").prefix(2).joined(separator: " ")
    try "[127.0.0.1]:\(port) \(fields)\n".write(
      toFile: home.path + "/.ssh/known_hosts", atomically: false, encoding: .utf8)
  }

  /// A new key pair. Returns the public key.
  static func makeKey(_ path: String, in home: ServerHome) async throws -> String {
    let outcome = try await home.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path])
    guard outcome.code == 0 else { throw NoKey(text: outcome.text) }
    return try String(contentsOfFile: path + ".pub", encoding: .utf8)
  }

  /// As ssh-keygen(1) shows it.
  func fingerprint() async throws -> String {
    let outcome = try await home.run(["ssh-keygen", "-l", "-f", home.path + "/ssh/host.pub"])
    return outcome.text.split(separator: " ").dropFirst().first.map(String.init) ?? ""
  }

  struct NoKey: Error {
    var text: String
  }
}
