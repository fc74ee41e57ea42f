import Foundation
import Testing

@testable import KettleModel

struct TransferSnapshotTests {
  @Test func `a snapshot survives coding with all properties and with the fewest`() throws {
    let least = TransferSnapshot(
      id: TransferID(rawValue: 1), session: .kettle, taskIdentifier: 2, title: "t", url: "u",
      state: .idle, createdAt: WallTime(millisecondsSince1970: 3))
    let most = TransferSnapshot(
      id: TransferID(rawValue: .max), session: SessionID(rawValue: "s"), taskIdentifier: .max,
      title: "t", url: "u", state: .waiting, reason: .retryAfter,
      goesOnAt: WallTime(millisecondsSince1970: .max), path: "/p", bytesReceived: .max,
      bytesExpected: .max, bytesPerSecond: .max, secondsLeft: .max, connections: 64,
      priority: .low, createdAt: WallTime(millisecondsSince1970: .min),
      finishedAt: WallTime(millisecondsSince1970: 0), error: TransferFailure(.timedOut, on: "h"),
      freshStart: .rangeIgnored)
    for snapshot in [least, most] {
      let data = try JSONEncoder().encode(snapshot)
      #expect(try JSONDecoder().decode(TransferSnapshot.self, from: data) == snapshot)
    }
  }
}

struct TotalsTests {
  @Test func `counts are an object with the names of the states`() throws {
    var totals = Totals()
    totals.bytesPerSecond = 5
    totals.counts = [.running: 3, .completed: 41]
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(totals)
    #expect(
      String(decoding: data, as: UTF8.self)
        == #"{"bytesPerSecond":5,"counts":{"completed":41,"running":3}}"#)
    #expect(try JSONDecoder().decode(Totals.self, from: data) == totals)
  }

  @Test func `free space is coded if it is known`() throws {
    var totals = Totals()
    totals.freeBytes = .max
    let data = try JSONEncoder().encode(totals)
    #expect(try JSONDecoder().decode(Totals.self, from: data).freeBytes == .max)
  }

  @Test func `a state of a newer version is skipped`() throws {
    let json = #"{"bytesPerSecond": 0, "counts": {"running": 1, "dreaming": 2}}"#
    let totals = try JSONDecoder().decode(Totals.self, from: Data(json.utf8))
    #expect(totals.counts == [.running: 1])
  }

  @Test func `a state without transfers counts as none`() {
    var totals = Totals()
    totals.counts = [.running: 3, .failed: 1]
    #expect(totals.count(.paused) == 0)
    #expect(totals.count(.running) == 3)
    #expect(totals.transferCount == 4)
  }

  @Test func `a sum of counts saturates`() {
    var totals = Totals()
    totals.counts = [.running: .max, .completed: 2]
    #expect(totals.transferCount == .max)
    totals.counts = [.running: .min, .completed: -2]
    #expect(totals.transferCount == .min)
  }
}
