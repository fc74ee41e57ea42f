import Foundation
import TestSupport

/// Apache on the loopback, whose only file requires a login (RFC 7617).
final class ApacheServer: Sendable {
  let port: Int
  let body = SeededBody(seed: 3, byteCount: 200_000)
  /// Status and user of each request, a line each: "401 ann", "401 -" without a login.
  let requests: FileLines

  init(login: (user: String, password: String), home: ServerHome) async throws {
    port = try ServerProgram.freePort()
    let directory = try home.directory("apache")
    let logs = try home.directory("apache/logs")
    let files = try home.directory("apache/files")
    requests = try FileLines(logs + "/requests", in: logs)
    try await PasswordFile.write(
      login.user, login.password, to: directory + "/passwords", in: home)
    for number in 0..<10 {
      try Data(body.bytes).write(to: URL(filePath: files + "/\(number).bin"))
    }
    let modules = [
      "mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic",
    ]
    let text = """
      ServerRoot \(directory)
      ServerName 127.0.0.1
      PidFile \(directory)/pid
      Listen 127.0.0.1:\(port)
      \(modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }
        .joined(separator: "\n"))
      \(geteuid() == 0 ? "User www-data\nGroup www-data" : "")
      ErrorLog \(directory)/errors
      LogFormat "%>s %u" brief
      CustomLog \(logs)/requests brief
      DocumentRoot \(files)
      <Directory \(files)>
        AuthType Basic
        AuthName "a test"
        AuthUserFile \(directory)/passwords
        Require valid-user
      </Directory>

      """
    let configuration = directory + "/apache.conf"
    try text.write(toFile: configuration, atomically: false, encoding: .utf8)
    _ = try ServerProgram(
      ["apache2", "-f", configuration, "-DFOREGROUND"], home: home, output: directory + "/output")
    try await ServerProgram.waitUntilListening(at: port, in: home)
  }

  func urls(login: String) -> [String] {
    (0..<10).map { "http://\(login)@127.0.0.1:\(port)/\($0).bin" }
  }
}
