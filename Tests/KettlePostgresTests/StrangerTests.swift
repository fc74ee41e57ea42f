import Foundation
import KettleFleet
import KettleModel
import Testing

@testable import KettlePostgres

extension PostgresTests {
  /// What a role that may call the functions cannot do to the others.
  @Suite struct StrangerTests {
    private let fleet: SampleFleet

    init() throws { fleet = try SampleFleet() }

    /// JSON of more levels than a decoder accepts.
    private static let deep =
      String(repeating: "[", count: 600) + String(repeating: "]", count: 600)

    @discardableResult
    private func call(_ function: String, _ json: String) throws -> String {
      try fleet.sql("select kettle.\(function)($json$\(json)$json$)")
    }

    private func addOrder(_ body: String, priority: String = "0.5", on label: String = "") throws {
      try call(
        "add_orders",
        """
        {"addition": {"orders": [\(body)], "priority": \(priority), "isPaused": false,
         "isUnique": false, "on": "\(label)"}, "origins": ["http://a.example"]}
        """)
    }

    private func order(_ more: String = "") -> String {
      #"{"url": "http://a.example/1", "headers": [], "onConflict": "rename"\#(more)}"#
    }

    @Test func `an order that nobody can read fails alone`() throws {
      try addOrder(order(#", "x": \#(Self.deep)"#))
      try fleet.add(["http://a.example/2"])
      let host = try fleet.host("a")
      let claims = try host.claim(9).claims
      #expect(claims.map { $0.order == nil } == [true, false])
      #expect(try host.beat([]).others.map { $0.order == nil } == [true, false])
    }

    @Test func `what a host wrote and nobody can read is missing in a list`() throws {
      try fleet.add(["http://a.example/1", "http://a.example/2"])
      let host = try fleet.host("a")
      let claims = try host.claim(9).claims
      let key = #"{"host": \#(host.key.host.rawValue), "start": \#(host.key.start)}"#
      let progress = #"{"id": \#(claims[0].key.id.rawValue), "x": \#(Self.deep)}"#
      try call(
        "beat",
        """
        {"key": \(key), "claims": [], "shares": [], "released": [], "progress": [\(progress)],
         "bytesPerSecond": 9223372036854775807, "wantsMore": false, "findings": []}
        """)
      let end = #"{"id": \#(claims[1].key.id.rawValue), "epoch": \#(claims[1].key.epoch)}"#
      try call(
        "finish",
        """
        {"key": \(key), "ends": [
          {"claim": \(end), "outcome": {"kind": "failed", "failure": \(Self.deep)}}]}
        """)
      let window = try fleet.board.window(FleetWindowRequest(count: 9))
      #expect(window.rows.map(\.state) == [.claimed, .failed])
      #expect(window.rows.allSatisfy { $0.progress == nil && $0.failure == nil })
      // The sum of all hosts is a number that everyone can read.
      #expect((1...(1 << 53)).contains(window.tally.bytesPerSecond))
    }

    @Test(arguments: ["\"NaN\"", "-1", "2", "null"])
    func `a priority is from 0 to 1`(_ priority: String) {
      #expect(throws: PostgresProblem.self) { try addOrder(order(), priority: priority) }
    }

    @Test func `what is too large is refused`() throws {
      let long = String(repeating: "x", count: 70_000)
      #expect(throws: PostgresProblem.self) { try addOrder(order(#", "title": "\#(long)""#)) }
      #expect(throws: PostgresProblem.self) { try addOrder(order(), on: long) }
      #expect(throws: FleetError.self) { try fleet.host("a", labels: [long]) }
    }

    @Test func `labels that are none do not spoil the list of hosts`() throws {
      try call(
        "join_host", #"{"name": "x", "secret": "s", "labels": [null], "take": 1, "version": "1"}"#)
      #expect(try fleet.board.hosts().map(\.labels) == [[]])
    }

    @Test func `nobody knows the key of another host`() throws {
      let starts = try ["a", "b", "c"].map { try fleet.host($0).key.start }
      #expect(Set(starts).count == 3 && starts.allSatisfy { $0 > 1 << 32 })
    }

    @Test func `a label is no right to the orders for another host`() throws {
      let thief = try fleet.host("thief", labels: ["nas"])
      let nas = try fleet.host("nas")
      try fleet.add(["http://a.example/1"], on: "nas")
      #expect(try thief.claim(9).claims.isEmpty)
      #expect(try nas.claim(9).claims.count == 1)
    }

    @Test func `settings of the fleet have bounds`() throws {
      try fleet.board.setLimit(bytesPerSecond: .min)
      #expect(try fleet.board.window(FleetWindowRequest(count: 1)).tally.limitBytesPerSecond == nil)
      try fleet.board.setOrigin("http://a.example", shares: .max >> 32, connections: nil)
      #expect(try fleet.board.origins().map(\.shares) == [1000])
      try fleet.add(["http://a.example/1"])
      let host = try fleet.host("a")
      let claims = try host.claim(1).claims
      let reply = try host.beat(claims) {
        $0.shares = [
          FleetShareReport(
            share: claims[0].share, opensInMilliseconds: .max >> 10, connectionsMax: -5)
        ]
      }
      #expect(reply.shares.first?.connectionsMax == 1)
      #expect((1...86_400_000).contains(try #require(reply.shares.first?.opensInMilliseconds)))
    }

    @Test func `a claim after a restored backup is another one`() throws {
      let id = try fleet.add(["http://a.example/1"])[0]
      let host = try fleet.host("a")
      let lost = try #require(try host.claim(1).claims.first)
      // The table is as it was before that claim.
      _ = try fleet.sql("update kettle.transfer set state = 0, host = null, epoch = 0")
      let next = try #require(try host.claim(1).claims.first)
      #expect(next.key.id == id && next.key != lost.key)
    }
  }
}
