import Foundation
import TestSupport

/// A server that runs in the foreground and ends on SIGTERM.
final class ServerProgram: Sendable {
  private let process: Running
  private let hasEnded = Monitor(false)

  init(_ words: [String], home: ServerHome, output: String) throws {
    process = try home.start(words, output: output)
    home.keep(self)
  }

  deinit {
    guard !hasEnded.read({ $0 }) else { return }
    process.send(SIGTERM)
    _ = process.waitForEnd()
  }

  func send(_ signal: Int32) { process.send(signal) }

  func stop() async {
    hasEnded.update { $0 = true }
    process.send(SIGTERM)
    _ = await process.end()
  }

  /// A port of the loopback that was free a moment ago.
  static func freePort() throws -> Int {
    let listener = try LoopbackListener()
    listener.stop()
    _ = listener.accept()
    return listener.port
  }

  /// Waits until something listens at the port.
  static func waitUntilListening(at port: Int, in home: ServerHome) async throws {
    // Any answer will do, also one that is not HTTP.
    let outcome = try await home.run([
      "curl", "--silent", "--noproxy", "*", "--output", "/dev/null", "--max-time", "2", "--retry",
      "30", "--retry-delay", "1", "--retry-connrefused", "http://127.0.0.1:\(port)/",
    ])
    // "Failed to connect" of curl(1).
    guard outcome.code != 7 else { throw NotListening(port: port) }
  }

  struct NotListening: Error {
    var port: Int
  }
}
