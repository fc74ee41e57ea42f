import Foundation
import Testing

@testable import KettleDaemon

final class CrashCounterTests {
  private let path: String

  init() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    path = directory.path + "/crashes"
  }

  deinit {
    try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent)
  }

  // Fault 112
  @Test func `three crashes in a row pause everything, and a clean end resets the count`() throws {
    for count in 0...4 {
      try Data(repeating: 120, count: count).write(to: URL(filePath: path))
      let counter = CrashCounter(path: path)
      #expect(counter.count == count)
      #expect(counter.mustPause == (count >= 3))
    }
    CrashCounter(path: path).clear()
    #expect(CrashCounter(path: path).count == 0)
  }

  @Test func `a start is not a crash`() throws {
    for _ in 0..<5 { #expect(CrashCounter(path: path).count == 0) }
  }

  @Test func `without a file no crash is counted and nothing fails`() {
    let counter = CrashCounter(path: "/no/such/directory/crashes")
    counter.clear()
    #expect(!counter.mustPause)
  }

  @Test func `the notice explains what to do`() {
    #expect(
      CrashCounter.notice(count: 3)
        == "The service crashed 3 times in a row, so all active transfers were paused; "
        + "start them one at a time with \"kettle start ID\", "
        + "and report the one that crashes the service")
  }
}
