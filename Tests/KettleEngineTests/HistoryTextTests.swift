import KettleModel
import Testing

@testable import KettleEngine

struct HistoryTextTests {
  private static let now = WallTime(millisecondsSince1970: 1_000_000)

  private func text(_ change: (inout TransferRecord) -> Void) -> String {
    var record = TransferRecord(
      id: TransferID(rawValue: 1), taskIdentifier: 1, spec: EngineWorld.spec(),
      createdAt: Self.now, queuePosition: 1, state: .waiting)
    record.goesOnAt = Self.now.advanced(byMilliseconds: 7_500)
    change(&record)
    return HistoryText.of(record, at: Self.now)
  }

  @Test(arguments: [
    (WaitingReason.retry, "Waiting 8 s before retry 3"),
    (.retryAfter, "Waiting 8 s, as the server asks"), (.network, "Waiting for the network"),
    (.diskSpace, "Waiting 8 s for room on the disk"), (.needsLink, "Waiting for a fresh link"),
    (.needsLogin, "Waiting for a login"), (.discretionary, "Waiting for its conditions"),
  ])
  func `a wait has its reason and its duration`(reason: WaitingReason, expected: String) {
    #expect(
      text {
        $0.reason = reason
        $0.retryCount = 2
      } == expected)
  }

  @Test func `bytes of an incomplete chunked response are reported as discarded`() {
    #expect(
      HistoryText.discarded(byteCount: 12)
        == "Discarded 12 bytes: a reply in chunks counts only when its last chunk has come")
  }

  @Test func `a fresh start has its reason`() {
    #expect(
      text {
        $0.state = .running
        $0.freshStart = .resourceChanged
      } == "Running, from zero: the server has another version now")
  }

  @Test(arguments: [
    (Int64(-5), "0 s"), (1, "1 s"), (119_000, "119 s"), (119_001, "2 min"), (7_200_000, "2 h"),
    (7_200_001, "3 h"), (.max, "2562047788016 h"),
  ])
  func `durations are in one unit, rounded up`(milliseconds: Int64, expected: String) {
    let start = WallTime(millisecondsSince1970: 0)
    let end = WallTime(millisecondsSince1970: milliseconds)
    #expect(HistoryText.duration(from: start, to: end) == expected)
  }

  @Test func `extreme dates do not overflow`() {
    let (first, last) = (
      WallTime(millisecondsSince1970: .min), WallTime(millisecondsSince1970: .max)
    )
    #expect(HistoryText.duration(from: first, to: last) == "2562047788016 h")
    #expect(HistoryText.duration(from: last, to: first) == "2562047788016 h")
  }

  @Test(arguments: [
    (Int64(1), "1 B/s"), (1023, "1023 B/s"), (1024, "1 KiB/s"), (1536, "1.5 KiB/s"),
    (1 << 20, "1 MiB/s"), ((1 << 30) - 1, "1023.9 MiB/s"), (.max, "8589934591.9 GiB/s"),
  ])
  func `rates are in the largest unit that fits`(rate: Int64, expected: String) {
    #expect(HistoryText.rate(rate) == expected)
  }

  @Test func `a learned connection limit is shown in words`() {
    #expect(
      HistoryText.learnedLimit(connectionsMax: 1) == "The server takes no more than one connection")
    #expect(
      HistoryText.learnedLimit(connectionsMax: 3) == "The server takes no more than 3 connections")
  }
}
