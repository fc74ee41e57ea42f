import Foundation
import Testing

@testable import KettleModel

struct HistoryEventTests {
  private static let now = WallTime(millisecondsSince1970: 1_000_000)

  private func text(_ change: (inout TransferRecord) -> Void) throws -> String {
    var record = TransferRecord(
      id: TransferID(rawValue: 1), taskIdentifier: 1,
      spec: TransferSpec(url: try TransferURL.parse("http://files.example/a.iso").get().url),
      createdAt: Self.now, queuePosition: 1, state: .waiting)
    record.goesOnAt = Self.now.advanced(byMilliseconds: 7_500)
    change(&record)
    return HistoryEvent(record, at: Self.now).text
  }

  @Test(arguments: [
    (WaitingReason.retry, "Waiting 8 s before retry 3"),
    (.retryAfter, "Waiting 8 s, as the server asks"), (.network, "Waiting for the network"),
    (.hostUnreachable, "Waiting 8 s for the host"), (.proxy, "Waiting 8 s for the proxy"),
    (.diskSpace, "Waiting 8 s for room on the disk"), (.needsLink, "Waiting for a fresh link"),
    (.needsLogin, "Waiting for a login"), (.needsDecision, "Waiting for a decision"),
    (.discretionary, "Waiting for its conditions"),
  ])
  func `a wait has its reason and its duration`(reason: WaitingReason, expected: String) throws {
    #expect(
      try text {
        $0.reason = reason
        $0.retryCount = 2
      } == expected)
  }

  @Test func `a failure is named, and the remedy is the retry while there is one`() throws {
    let failure = TransferFailure(.connectionLost, on: "h")
    #expect(
      try text {
        $0.reason = .retry
        $0.goesOnAt = nil
        $0.failure = failure
      } == "Waiting before retry 1: The connection to \"h\" was lost; it will be retried")
    #expect(
      try text {
        $0.state = .failed
        $0.failure = failure
      } == "Failed: The connection to \"h\" was lost; start it again")
  }

  @Test func `bytes of an incomplete chunked response are reported as discarded`() {
    #expect(
      HistoryEvent.discarded(byteCount: 12).text
        == "Discarded 12 bytes: a reply in chunks counts only when its last chunk has come")
  }

  @Test func `a fresh start has its reason`() throws {
    #expect(
      try text {
        $0.state = .running
        $0.freshStart = .resourceChanged
      } == "Running, from zero: the server has another version now")
  }

  @Test(arguments: [
    (Int64(-5), "0 s"), (1, "1 s"), (119_000, "119 s"), (119_001, "2 min"), (7_140_000, "119 min"),
    (7_140_001, "2 h"), (7_200_000, "2 h"), (7_200_001, "3 h"), (.max, "2562047788016 h"),
  ])
  func `durations are in one unit, rounded up`(milliseconds: Int64, expected: String) {
    let start = WallTime(millisecondsSince1970: 0)
    let end = WallTime(millisecondsSince1970: milliseconds)
    let seconds = HistoryEvent.seconds(from: start, to: end)
    #expect(HistoryEvent.duration(seconds) == expected)
  }

  @Test func `extreme dates do not overflow`() {
    let (first, last) = (
      WallTime(millisecondsSince1970: .min), WallTime(millisecondsSince1970: .max)
    )
    for (start, end) in [(first, last), (last, first)] {
      let seconds = HistoryEvent.seconds(from: start, to: end)
      #expect(HistoryEvent.duration(seconds) == "2562047788016 h")
    }
    #expect(HistoryEvent.duration(.max) == "2562047788015216 h")
  }

  @Test(arguments: [
    (Int64(1), "1 B/s"), (1023, "1023 B/s"), (1024, "1 KiB/s"), (1536, "1.5 KiB/s"),
    (1 << 20, "1 MiB/s"), ((1 << 30) - 1, "1 GiB/s"), (.max, "8 EiB/s"),
  ])
  func `limits are in the largest unit that fits`(rate: Int64, expected: String) {
    #expect(HistoryEvent.limited(bytesPerSecond: rate).text == "Speed limit: " + expected)
  }

  @Test func `a learned connection limit is shown in words`() {
    #expect(
      HistoryEvent.limitLearned(connectionsMax: 1).text
        == "The server takes no more than one connection")
    #expect(
      HistoryEvent.limitLearned(connectionsMax: 3).text
        == "The server takes no more than 3 connections")
  }

  @Test(arguments: [
    (HistoryEvent.stopped, "{\"stopped\":{}}", "Stopped"),
    (.running(fromZero: nil), "{\"running\":{}}", "Running"),
    (
      .waiting(reason: .network, seconds: 30, retry: nil, failure: nil),
      "{\"waiting\":{\"reason\":\"network\",\"seconds\":30}}", "Waiting for the network"
    ),
    (.limited(bytesPerSecond: nil), "{\"limited\":{}}", "No speed limit"),
    (
      .prioritized(priority: .high), "{\"prioritized\":{\"priority\":{\"value\":0.75}}}",
      "Priority: high"
    ),
    (
      .askedAgain(parts: [.title, .priority]),
      "{\"askedAgain\":{\"parts\":[\"title\",\"priority\"]}}", "Asked again with title, priority"
    ),
    (.moved(way: .toTop), "{\"moved\":{\"way\":\"toTop\"}}", "Moved to the top"),
    (.assigned(queue: .standard), "{\"assigned\":{\"queue\":\"default\"}}", "Queue: default"),
    (
      .undone(action: .removeWithFile), "{\"undone\":{\"action\":\"removeWithFile\"}}",
      "Removal undone"
    ),
    (
      .addressLeft(address: "192.0.2.1"), "{\"addressLeft\":{\"address\":\"192.0.2.1\"}}",
      "192.0.2.1 accepted the connection and sent nothing: another address of the host is asked"
    ),
  ])
  func `a code and its arguments are sent, and the client phrases them`(
    event: HistoryEvent, json: String, text: String
  ) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(event)
    #expect(String(decoding: data, as: UTF8.self) == json)
    #expect(try JSONDecoder().decode(HistoryEvent.self, from: data) == event)
    #expect(event.text == text)
  }

  @Test func `a line of the history is small`() {
    #expect(MemoryLayout<HistoryEntry>.stride <= 16)
  }
}
