import Foundation
import Testing

@testable import KettleModel

struct TransferStateTests {
  @Test func `the states have the names that people and scripts see`() {
    #expect(
      TransferState.allCases.map(\.rawValue) == [
        "idle", "scheduled", "queued", "running", "waiting", "paused", "verifying", "completed",
        "failed",
      ])
    #expect(TransferState.allCases.filter(\.isFinished) == [.completed, .failed])
  }

  @Test func `only three reasons need the user`() {
    #expect(
      WaitingReason.allCases.map(\.rawValue) == [
        "retry", "retryAfter", "network", "hostUnreachable", "proxy", "diskSpace", "discretionary",
        "needsLink", "needsLogin", "needsDecision", "members",
      ])
    #expect(
      WaitingReason.allCases.filter(\.needsUser) == [.needsLink, .needsLogin, .needsDecision])
  }

  @Test func `states, reasons, ids and sessions are encoded as plain values`() throws {
    #expect(try Self.json(TransferState.waiting) == "[\"waiting\"]")
    #expect(try Self.json(WaitingReason.retryAfter) == "[\"retryAfter\"]")
    #expect(try Self.json(FreshStartReason.noValidator) == "[\"noValidator\"]")
    #expect(try Self.json(TransferID(rawValue: 7)) == "[7]")
    #expect(try Self.json(SessionID.kettle) == "[\"kettle\"]")
  }

  @Test func `ids are ordered by number`() {
    #expect(TransferID(rawValue: 9) < TransferID(rawValue: 10))
    #expect("\(TransferID(rawValue: 10))" == "10")
  }

  /// Encodes an array of one, compares the decoded value and returns the JSON.
  private static func json<Value: Codable & Equatable>(_ value: Value) throws -> String {
    let data = try JSONEncoder().encode([value])
    #expect(try JSONDecoder().decode([Value].self, from: data) == [value])
    return String(decoding: data, as: UTF8.self)
  }
}
