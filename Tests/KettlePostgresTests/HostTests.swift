import Foundation
import KettleFleet
import KettleModel
import Testing

@testable import KettlePostgres

extension PostgresTests {
  @Suite struct HostTests {
    private let fleet: SampleFleet

    init() throws { fleet = try SampleFleet() }

    @Test func `one host speaks to an origin at a time`() throws {
      try fleet.add((1...20).map { "http://a.example/\($0)" } + ["http://b.example/1"])
      let a = try fleet.host("a")
      let b = try fleet.host("b")
      let first = try a.claim(5)
      let second = try b.claim(50)
      #expect(first.claims.count == 5)
      let shares = Set(first.shares.map(\.share))
      #expect(shares.isDisjoint(with: second.shares.map(\.share)))
      #expect(Set(first.claims.map(\.key.id)).isDisjoint(with: second.claims.map(\.key.id)))
      // What is queued at the origins of the first host may be had when its lease ends.
      let next = try #require(second.nextMilliseconds)
      #expect((1...60_000).contains(next))
      #expect(try a.claim(50).claims.count == 21 - 5 - second.claims.count)
      #expect(try a.claim(50).nextMilliseconds == nil)
    }

    @Test func `shares of one origin are one for each host`() throws {
      try fleet.add((1...20).map { "http://a.example/\($0)" })
      try fleet.board.setOrigin("http://a.example", shares: 2, connections: 6)
      let hosts = try ["a", "b", "c"].map { try fleet.host($0) }
      let replies = try hosts.map { try $0.claim(4) }
      #expect(replies.map(\.claims.count) == [4, 4, 0])
      #expect(replies.flatMap { $0.shares.map(\.share.slot) } == [0, 1])
      #expect(replies[0].shares.first?.connectionsMax == 3)
    }

    @Test func `claims are spread over origins by priority`() throws {
      try fleet.add((1...10).map { "http://a.example/\($0)" })
      let urgent = try fleet.add(["http://a.example/now"], priority: 0.9)
      try fleet.add((1...10).map { "http://b.example/\($0)" })
      let claims = try fleet.host("a").claim(8).claims
      #expect(claims.count == 8)
      #expect(claims.first?.key.id == urgent.first)
      #expect(
        Dictionary(grouping: claims, by: \.share.origin).mapValues(\.count).values.allSatisfy {
          $0 == 4
        })
      #expect(claims.allSatisfy { $0.order?.url.origin.text == $0.share.origin })
    }

    @Test func `a host with nothing to do gets half of another's shares`() throws {
      let origins = ["a", "b", "c", "d"].map { "http://\($0).example" }
      try fleet.add(origins.flatMap { origin in (1...20).map { "\(origin)/\($0)" } })
      let (a, b) = (try fleet.host("a"), try fleet.host("b"))
      let claims = try a.claim(8).claims
      func end(_ origin: String) throws {
        let own = claims.filter { $0.share.origin == origin }
        #expect(try a.finish(own, .failed(TransferFailure(.timedOut, on: "h"))).count == own.count)
      }
      func release(_ origin: String) throws -> Set<String> {
        let reply = try a.beat([]) { $0.released = [ShareKey(origin: origin, slot: 0)] }
        return Set(reply.shares.map(\.share.origin))
      }
      #expect(Set(claims.map(\.share.origin)) == Set(origins))
      #expect(try b.claim(8).claims.isEmpty)
      // The other one notices with its next claim, and claims nothing more there.
      let promised = Set(origins).subtracting(try a.claim(8).claims.map(\.share.origin)).sorted()
      #expect(promised.count == 2)
      let (first, second) = (try #require(promised.first), try #require(promised.last))
      // What it has claimed there before, it ends.
      #expect(try release(first).contains(first))
      #expect(try b.claim(8).claims.isEmpty)
      try end(first)
      #expect(try !release(first).contains(first))
      // Nobody else can take it meanwhile.
      #expect(try fleet.host("c").claim(8).claims.isEmpty)
      #expect(Set(try b.claim(8).claims.map(\.share.origin)) == [first])
      // What is promised to a host that has left is free.
      try end(second)
      try b.table.leave(b.key)
      #expect(try !release(second).contains(second))
      #expect(try fleet.host("d").claim(8).claims.contains { $0.share.origin == second })
    }

    @Test func `labels and names decide who may claim`() throws {
      let all = try fleet.add(["http://a.example/1"])
      let nas = try fleet.add(["http://a.example/2"], on: "nas")
      let named = try fleet.add(["http://a.example/3"], on: "b")
      let a = try fleet.host("a", labels: ["nas", "eu"])
      let claims = try a.claim(9).claims
      #expect(claims.map(\.key.id) == all + nas)
      #expect(try a.beat(claims).hasWork == false)
      let b = try fleet.host("b")
      #expect(try b.claim(9).claims.isEmpty)
      #expect(try a.finish(claims, .published).count == 2)
      _ = try a.beat([]) { $0.released = claims.map(\.share) }
      #expect(try b.beat([]).hasWork)
      #expect(try b.claim(9).claims.map(\.key.id) == named)
    }

    @Test func `work of a silent host goes to another with a new epoch`() throws {
      try fleet.add(["http://a.example/1", "http://a.example/2"])
      let a = try fleet.host("a")
      let b = try fleet.host("b")
      let lost = try a.claim(2).claims
      #expect(try a.place(lost[1]))
      #expect(try b.claim(2).claims.isEmpty)
      try fleet.expire("a")
      #expect(try b.beat([]).nextExpiryMilliseconds == nil)
      let taken = try b.claim(2).claims
      #expect(taken.allSatisfy { one in lost.allSatisfy { $0.key.epoch < one.key.epoch } })
      // The file that was about to be placed is looked for first.
      #expect(taken[0].earlier == nil)
      #expect(
        taken[1].earlier
          == EarlierPlacing(
            host: a.key.host, epoch: lost[1].key.epoch, name: "f", byteCount: 7,
            modifiedNanoseconds: 9,
            directory: "/d"))
      #expect(try !a.place(lost[0]) && !a.finish(lost[0]) && !a.finish(lost[1]))
      #expect(try a.beat(lost).claims.isEmpty)
      #expect(try b.finish(taken[0]))
      #expect(try !a.finish(lost[0]))
      #expect(try fleet.board.rows([taken[0].key.id]).first?.machine == "b")
    }

    @Test func `a silent host goes on if nobody has taken its work`() throws {
      try fleet.add(["http://a.example/1"])
      let a = try fleet.host("a")
      let claims = try a.claim(1).claims
      try fleet.expire("a")
      // Someone looks, but takes nothing.
      _ = try fleet.host("b").beat([])
      #expect(try fleet.state(claims[0].key.id) == .queued)
      let reply = try a.beat(claims)
      #expect(reply.claims.map(\.key) == claims.map(\.key))
      #expect(reply.shares.map(\.share) == claims.map(\.share))
      #expect(try fleet.state(claims[0].key.id) == .claimed)
      try fleet.expire("a")
      #expect(try a.place(claims[0]) && a.finish(claims[0]))
    }

    @Test func `every call can be repeated`() throws {
      try fleet.add(["http://a.example/1", "http://a.example/2", "http://a.example/3"])
      var a = try fleet.host("a")
      let claims = try a.claim(2).claims
      // The answer is lost, and the next beat brings it.
      let reply = try a.beat([])
      #expect(Set(reply.others) == Set(claims))
      #expect(try a.beat(claims).others.isEmpty && a.beat(claims).claims.count == 2)
      #expect(try a.place(claims[0]) && a.place(claims[0]))
      #expect(try a.finish(claims[0]) && a.finish(claims[0]))
      let failure = FleetEnd.Outcome.failed(TransferFailure(.truncated, on: "a"))
      #expect(try a.finish(claims[1], failure) && a.finish(claims[1], failure))
      #expect(try !a.place(claims[0]))
      #expect(try fleet.board.hosts().first?.completedCount == 1)
      let third = try a.claim(1).claims
      #expect(try a.finish(third[0], .givenBack) && a.finish(third[0], .givenBack))
      #expect(try fleet.state(third[0].key.id) == .queued)
      let start = a.key.start
      a = try fleet.host("a")
      #expect(a.key.start != start)
      try a.table.leave(a.key)
      try a.table.leave(a.key)
    }

    @Test func `a later start ends the rights of the earlier one`() throws {
      try fleet.add(["http://a.example/1"])
      let old = try fleet.host("a")
      let claims = try old.claim(1).claims
      let new = try fleet.host("a")
      #expect(throws: FleetError.superseded) { try old.beat(claims) }
      #expect(throws: FleetError.superseded) { try old.claim(1) }
      #expect(throws: FleetError.superseded) { try old.finish(claims[0]) }
      #expect(try new.beat(claims).claims.count == 1)
      try new.table.leave(new.key)
      #expect(throws: FleetError.superseded) { try new.beat(claims) }
      #expect(try fleet.state(claims[0].key.id) == .queued)
      let thief = FleetIntroduction(name: "b", secret: "x", labels: [], take: 1, version: "1")
      _ = try fleet.host("b")
      #expect(throws: FleetError.refused("another machine of the fleet has the name b")) {
        try fleet.board.join(thief)
      }
    }

    @Test func `what is learned of an origin moves with its share`() throws {
      try fleet.add(["http://a.example/1", "http://a.example/2"])
      let a = try fleet.host("a")
      let b = try fleet.host("b")
      let claims = try a.claim(1).claims
      let share = claims[0].share
      let reply = try a.beat(claims) {
        $0.shares = [FleetShareReport(share: share, opensInMilliseconds: 30_000, connectionsMax: 2)]
      }
      #expect(reply.shares.first?.connectionsMax == 2)
      #expect((29_000...30_000).contains(try #require(reply.shares.first?.opensInMilliseconds)))
      // A share with claims stays with its host.
      #expect(try a.beat(claims) { $0.released = [share] }.shares.count == 1)
      #expect(try a.finish(claims[0], .givenBack))
      #expect(try a.beat([]) { $0.released = [share] }.shares.isEmpty)
      let closed = try b.claim(1)
      #expect(closed.claims.isEmpty)
      #expect((25_000...30_000).contains(try #require(closed.nextMilliseconds)))
      _ = try fleet.sql("update kettle.origin set opens_at = now()")
      #expect(try b.claim(1).shares.first?.connectionsMax == 2)
    }

    @Test func `a draining host claims nothing`() throws {
      try fleet.add(["http://a.example/1"])
      let a = try fleet.host("a")
      try fleet.board.drain(host: "a", true)
      #expect(try a.claim(1).claims.isEmpty)
      let reply = try a.beat([])
      #expect(reply.isDraining && !reply.hasWork)
      try fleet.board.drain(host: "a", false)
      #expect(try a.claim(1).claims.count == 1)
      #expect(throws: FleetError.refused("the fleet has no machine x")) {
        try fleet.board.drain(host: "x", true)
      }
    }

    @Test func `a late result learns that the file is elsewhere`() throws {
      try fleet.add(["http://a.example/1", "http://a.example/2"])
      let a = try fleet.host("a")
      let b = try fleet.host("b")
      let lost = try a.claim(2).claims
      try fleet.expire("a")
      let taken = try b.claim(2).claims
      #expect(
        try b.finish([taken[0]], .published(name: "g", directory: "/d", byteCount: 7)).count == 1)
      #expect(try b.finish(taken[1]))
      let ends = lost.map { FleetEnd(claim: $0.key, outcome: .published) }
      let reply = try a.table.finish(FleetEnds(key: a.key, ends: ends))
      #expect(reply.accepted.isEmpty && reply.elsewhere == [lost[0].key])
    }

    @Test func `a claim without its share is only finished`() throws {
      try fleet.add(["http://a.example/1", "http://a.example/2"])
      let a = try fleet.host("a")
      let claims = try a.claim(2).claims
      try fleet.expire("a")
      #expect(try fleet.host("b").claim(1).claims.map(\.key.id) == [claims[0].key.id])
      let reply = try a.beat(claims)
      #expect(reply.claims == [FleetBeat.Standing(key: claims[1].key, wish: .pause)])
      #expect(reply.shares.isEmpty)
      #expect(try a.finish(claims[1]))
    }

    @Test func `a beat tells the limit and the needs`() throws {
      try fleet.board.setLimit(bytesPerSecond: 1000)
      try fleet.add(["http://a.example/1"])
      let a = try fleet.host("a")
      let b = try fleet.host("b")
      _ = try a.claim(1)
      let reply = try b.beat([]) {
        $0.bytesPerSecond = 5
        $0.wantsMore = true
      }
      #expect(reply.limitBytesPerSecond == 1000)
      #expect(reply.needs.contains(FleetNeed(host: b.key.host, bytesPerSecond: 5, wantsMore: true)))
      #expect(reply.needs.count == 2)
      #expect((1...60_000).contains(try #require(reply.nextExpiryMilliseconds)))
    }

    @Test func `new work wakes hosts that wait`() async throws {
      let a = try fleet.host("a")
      #expect(try a.table.wait(milliseconds: 1) == .timeout)
      try fleet.add(["http://a.example/1"])
      #expect(a.table.isWorkAnnounced(withinMilliseconds: 20_000))
      // The origin has work already, so there is no news.
      try fleet.add(["http://a.example/2"])
      #expect(try a.table.wait(milliseconds: 50) == .timeout)
      let waiting = a.table
      Thread.detachNewThread { waiting.wake() }
      #expect(try a.table.wait(milliseconds: 20_000) == .wake)
      #expect(try a.claim(2).claims.count == 2)
    }

    @Test func `each transfer is claimed once by four hosts`() async throws {
      try fleet.add((0..<20_000).map { "http://h\($0 % 10).example/\($0)" })
      for number in 0..<10 {
        try fleet.board.setOrigin("http://h\(number).example", shares: 4, connections: nil)
      }
      let counts = try await withThrowingTaskGroup(of: [FleetTransferID].self) { group in
        for name in ["a", "b", "c", "d"] {
          let host = try fleet.host(name)
          group.addTask { try await onThread { try Self.run(host) } }
        }
        return try await group.reduce(into: [FleetTransferID: Int]()) { counts, ids in
          for id in ids { counts[id, default: 0] += 1 }
        }
      }
      #expect(counts.count == 20_000)
      #expect(counts.values.allSatisfy { $0 == 1 })
      let tally = try fleet.board.window(FleetWindowRequest(count: 1)).tally
      #expect(tally.counts == ["completed": 20_000])
      #expect(try fleet.board.hosts().map(\.completedCount).reduce(0, +) == 20_000)
    }

    /// Claims and finishes until nothing is left. Returns what it has claimed.
    private static func run(_ host: FleetMachine) throws -> [FleetTransferID] {
      var ids: [FleetTransferID] = []
      while true {
        let claims = try host.claim(100).claims
        if claims.isEmpty { return ids }
        guard try host.finish(claims, .published).count == claims.count else { return [] }
        ids += claims.map(\.key.id)
      }
    }
  }
}

/// Runs a closure that blocks on a thread of its own.
func onThread<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: .init(catching: body)) }
  }
}
