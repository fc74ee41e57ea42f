import Foundation
import Testing

@testable import KettleDaemon

final class LogFileTests {
  private let path: String

  init() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    path = directory.path + "/service.log"
  }

  deinit {
    try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent)
  }

  private func byteCount(_ path: String) -> Int? {
    try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
  }

  // Fault 113
  @Test func `a full log is renamed, so both files together stay within twice the limit`()
    throws
  {
    // Each run nearly fills the file and then exceeds the limit.
    for _ in 0..<3 {
      try Data(repeating: 120, count: LogFile.byteCountMax - 50).write(to: URL(filePath: path))
      let log = LogFile(path: path)
      for _ in 0..<20 { log.write("ten bytes.") }
    }
    let sizes = [byteCount(path), byteCount(path + ".1")]
    for size in sizes { #expect(try #require(size) <= LogFile.byteCountMax) }
    let names = try FileManager.default.contentsOfDirectory(
      atPath: (path as NSString).deletingLastPathComponent)
    #expect(names.sorted() == ["service.log", "service.log.1"])
  }

  @Test func `the size of an existing log counts`() throws {
    try Data(repeating: 120, count: LogFile.byteCountMax - 1).write(to: URL(filePath: path))
    LogFile(path: path).write("one more")
    #expect(byteCount(path) == 9)
    #expect(byteCount(path + ".1") == LogFile.byteCountMax - 1)
  }

  // Fault 128
  @Test func `a record is one line, whatever its text contains`() throws {
    LogFile(path: path).write("a\nb\u{1B}[2J\r\u{2028}c")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.count { $0.isNewline } == 1)
    #expect(!text.contains("\u{1B}"))
  }

  // Fault 94
  @Test func `only the user can read the log`() throws {
    LogFile(path: path).write("x")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }
}
