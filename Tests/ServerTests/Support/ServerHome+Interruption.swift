import Foundation
import Testing

/// Downloads that are interrupted.
extension ServerHome {
  /// Adds a slow download, and returns when some of it is durable.
  func begin(_ url: String, byteCount: Int64) async throws {
    let outcome = try await kettle("add", "--limit", "4M", url)
    try #require(outcome.code == 0, "\(outcome.text)")
    var tries = 0
    while try await receivedByteCount() < byteCount, tries < 60 {
      _ = try await kettle("wait", "--all", "--timeout", "1")
      tries += 1
    }
    #expect(try await receivedByteCount() >= byteCount)
  }

  private func receivedByteCount() async throws -> Int64 {
    let outcome = try await kettle("list", "--json")
    let parsed = try JSONSerialization.jsonObject(with: Data(outcome.text.utf8))
    let rows = try #require(parsed as? [[String: Any]], "\(outcome.text)")
    return rows.reduce(0) { $0 + (($1["bytesReceived"] as? NSNumber)?.int64Value ?? 0) }
  }

  /// Ends the service without a warning.
  func killService() async throws {
    let status = try await kettle("daemon", "status").text
    let words = status.split { $0 == " " || $0 == "," }
    let number = words.firstIndex(of: "process").flatMap { Int32(words[words.index(after: $0)]) }
    kill(try #require(number, "\(status)"), SIGKILL)
  }

  /// Lets the only transfer finish at full speed, and expects its file.
  func finish(_ name: String = "file.bin", is matches: (String) -> Bool) async throws {
    _ = try await kettle("limit", "none", "1")
    let outcome = try await kettle("wait", "--all", "--timeout", "60")
    #expect(outcome.code == 0, "\(outcome.text)")
    #expect(matches(downloads + "/" + name))
  }
}
