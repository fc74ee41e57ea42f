import Foundation
import KettleModel
import KettleSocket
import Logging
import Testing

@testable import KettleDaemon

struct DroppedClientLogTests {
  @Test func `every reason is logged, with the process if it is known`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = LogFile(path: path)
    let logger = Logger(label: "test") { _ in
      FileLogHandler(file: file) { WallTime(millisecondsSince1970: 0) }
    }
    let dropped = DroppedClientLog(logger: logger) { MonotonicTime(milliseconds: 0) }
    dropped.log(.overflow, processID: 7)
    dropped.log(.lineTooLong(byteCountMax: 99), processID: 7)
    dropped.log(.lineNotFinished, processID: 7)
    dropped.log(.writeFailed, processID: 7)
    dropped.log(refused: .foreignUser(1001))
    dropped.log(refused: .tooManyConnections(countMax: 256, processID: 8))
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let begin = "1970-01-01T00:00:00Z info A client was dropped "
    #expect(
      lines
        == [
          "\(begin)process=7 reason=overflow: it reads too slowly",
          "\(begin)process=7 reason=it sent a line of more than 99 bytes",
          "\(begin)process=7 reason=it did not finish a line in time",
          "\(begin)process=7 reason=writing to it failed",
          "\(begin)reason=it runs as user 1001",
          "\(begin)process=8 reason=256 connections are open",
        ].map { Substring($0) })
  }

  @Test func `a burst is logged, then one record per interval with a count of the omitted ones`() {
    var limiter = LogLimiter(countMax: 3, milliseconds: 3000)
    func take(_ milliseconds: Int64, _ count: Int = 1) -> [LogLimiter.Verdict] {
      (0..<count).map { _ in limiter.admit(at: MonotonicTime(milliseconds: milliseconds)) }
    }
    let logged = LogLimiter.Verdict.logged(omittedCount: 0)
    #expect(take(0, 5) == [logged, logged, logged, .omitted, .omitted])
    #expect(take(999) == [.omitted])
    #expect(take(1000, 2) == [.logged(omittedCount: 3), .omitted])
    #expect(take(2000) == [.logged(omittedCount: 1)])
    #expect(take(60_000, 4) == [logged, logged, logged, .omitted])
  }

  @Test func `an hour of floods produces a few records per minute`() {
    var limiter = LogLimiter()
    var loggedCount = 0
    for millisecond: Int64 in 0..<3_600_000 {
      if limiter.admit(at: MonotonicTime(milliseconds: millisecond)) != .omitted {
        loggedCount += 1
      }
    }
    #expect(loggedCount <= 20 * 61)
  }
}
