import Foundation
import Testing

@testable import KettleDaemon

@Suite(.timeLimit(.minutes(5)))
struct TimeZoneWatchTests {
  // Fault 179
  @Test func `another zone is reported`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let link = directory + "/localtime"
    for name in ["a", "b"] {
      try Data(name.utf8).write(to: URL(filePath: directory + "/" + name))
    }
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "a")
    let (changes, continuation) = AsyncStream<Void>.makeStream()
    let watch = try #require(
      TimeZoneWatch(environment: [:], path: link) { continuation.yield() })
    let next = directory + "/next"
    try FileManager.default.createSymbolicLink(atPath: next, withDestinationPath: "b")
    try #require(rename(next, link) == 0)
    for await _ in changes { break }
    watch.end()
  }

  @Test func `a zone of the environment does not change`() throws {
    #expect(TimeZoneWatch(environment: ["TZ": "UTC"]) {} == nil)
  }
}
