import KettleFleet
import KettleModel
import KettleSystem
import Testing

@testable import KettlePostgres

extension PostgresTests {
  /// Hosts that forget what they have claimed and lose their leases, and people who pause, stop and
  /// start everything meanwhile.
  @Suite struct StormTests {
    private static let count = 2_000

    @Test func `each transfer is published once`() async throws {
      let fleet = try SampleFleet()
      try fleet.add((0..<Self.count).map { "http://h\($0 % 12).example/\($0)" })
      try fleet.board.setOrigin("http://h0.example", shares: 3, connections: nil)
      let published = try await withThrowingTaskGroup(of: [FleetTransferID].self) { group in
        for name in ["a", "b", "c"] {
          let host = try fleet.host(name)
          group.addTask { try await onThread { try Self.work(host, fleet) } }
        }
        group.addTask {
          try await onThread {
            try Self.disturb(fleet)
            return []
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(published.count == Self.count)
      #expect(Set(published).count == Self.count)
      let tally = try fleet.board.window(FleetWindowRequest(count: 1)).tally
      #expect(tally.counts == ["completed": Self.count])
      let orphans = "select count(*) from kettle.transfer where host is null and state = 3"
      #expect(try fleet.sql(orphans) == "0")
    }

    /// Returns what the host has published.
    private static func work(
      _ host: FleetMachine, _ fleet: SampleFleet
    ) throws -> [FleetTransferID] {
      let deadline = MonotonicTime.now().milliseconds + 120_000
      var published: [FleetTransferID] = []
      var turn = 0
      while MonotonicTime.now().milliseconds < deadline {
        turn += 1
        var claims = try host.claim(20).claims
        // What it has forgotten comes back with the next beat.
        if turn % 3 == 0 { claims = try host.beat([]).others }
        let done = claims.enumerated().filter { $0.offset % 4 != turn % 4 }.map(\.element)
        if let first = done.first { _ = try host.place(first) }
        let accepted = try host.finish(done, .published)
        published += accepted.map(\.id)
        guard claims.isEmpty else { continue }
        let counts = try fleet.board.window(FleetWindowRequest(count: 1)).tally.counts
        if counts == ["completed": count] { break }
      }
      return published
    }

    private static func disturb(_ fleet: SampleFleet) throws {
      let board = PostgresFleet.open(fleet.database)
      for turn in 0..<30 {
        _ = try board.control(
          FleetControl(
            turn % 5 == 0 ? .stop : .pause, ids: nil,
            filter: FleetFilter(host: "h\(turn % 12).example")))
        try fleet.expire(["a", "b", "c"][turn % 3])
        _ = try board.control(FleetControl(.start, ids: nil))
      }
    }
  }
}
