import Foundation
import TestSupport

/// squid on the loopback, for every origin and port, with or without a login.
final class SquidProxy: Sendable {
  let port: Int
  /// Status and user of each request, a line each: "407 ann", "407 -" without a login.
  let requests: FileLines

  /// - Parameter login: Only this user and password are accepted; nil: everybody is.
  init(login: (user: String, password: String)? = nil, home: ServerHome) async throws {
    port = try ServerProgram.freePort()
    let directory = try home.directory("squid")
    let logs = try home.directory("squid/logs")
    requests = try FileLines(logs + "/requests", in: logs)
    var rules = "http_access allow all"
    if let login {
      let passwords = directory + "/passwords"
      try await PasswordFile.write(login.user, login.password, to: passwords, in: home)
      rules = """
        auth_param basic program /usr/lib/squid/basic_ncsa_auth \(passwords)
        auth_param basic realm a test
        acl known proxy_auth REQUIRED
        http_access allow known
        http_access deny all
        """
    }
    let text = """
      http_port 127.0.0.1:\(port)
      visible_hostname squid.test
      pid_filename \(directory)/pid
      coredump_dir \(directory)
      cache_log \(directory)/cache.log
      logformat brief %>Hs %un
      access_log stdio:\(logs)/requests logformat=brief
      cache deny all
      pinger_enable off
      shutdown_lifetime 0 seconds
      \(rules)

      """
    let configuration = directory + "/squid.conf"
    try text.write(toFile: configuration, atomically: false, encoding: .utf8)
    _ = try ServerProgram(
      ["squid", "-N", "-f", configuration], home: home, output: directory + "/output")
    try await ServerProgram.waitUntilListening(at: port, in: home)
  }
}

/// The file of one user's password, as squid and Apache read it.
enum PasswordFile {
  static func write(
    _ user: String, _ password: String, to path: String, in home: ServerHome
  ) async throws {
    let outcome = try await home.run(["openssl", "passwd", "-apr1", password])
    let line = user + ":" + outcome.text.trimmingCharacters(in: .whitespacesAndNewlines) + "\n"
    try line.write(toFile: path, atomically: false, encoding: .utf8)
    chmod(path, 0o644)
  }
}
