import Foundation

/// dante on the loopback, a SOCKS proxy without a login.
final class DanteProxy: Sendable {
  let port: Int

  init(home: ServerHome) async throws {
    port = try ServerProgram.freePort()
    let directory = try home.directory("dante")
    let text = """
      logoutput: \(directory)/log
      internal: 127.0.0.1 port = \(port)
      external: 127.0.0.1
      clientmethod: none
      socksmethod: none
      client pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }
      socks pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }

      """
    let configuration = directory + "/danted.conf"
    try text.write(toFile: configuration, atomically: false, encoding: .utf8)
    _ = try ServerProgram(
      ["danted", "-f", configuration, "-p", directory + "/pid"], home: home,
      output: directory + "/output")
    try await ServerProgram.waitUntilListening(at: port, in: home)
  }
}
