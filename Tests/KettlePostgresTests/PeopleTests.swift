import KettleFleet
import KettleModel
import Testing

@testable import KettlePostgres

extension PostgresTests {
  @Suite struct PeopleTests {
    private let fleet: SampleFleet

    init() throws { fleet = try SampleFleet() }

    private func control(
      _ verb: FleetControl.Verb, _ ids: [FleetTransferID]
    ) throws -> FleetControl.Reply {
      try fleet.board.control(FleetControl(verb, ids: ids))
    }

    @Test func `a paused transfer stays with its host`() throws {
      let ids = try fleet.add(["http://a.example/1", "http://a.example/2"])
      let a = try fleet.host("a")
      let claims = try a.claim(1).claims
      #expect(try control(.pause, ids).applied == ids)
      #expect(try ids.map(fleet.state) == [.paused, .paused])
      #expect(try a.beat(claims).claims.map(\.wish) == [.pause])
      #expect(try fleet.host("b").claim(2).claims.isEmpty)
      #expect(try control(.pause, ids).applied == ids)
      #expect(try control(.start, ids).applied == ids)
      #expect(try ids.map(fleet.state) == [.claimed, .queued])
      #expect(try a.beat(claims).claims.map(\.wish) == [.run])
    }

    @Test func `a paused transfer of a silent host stays paused`() throws {
      let ids = try fleet.add(["http://a.example/1"])
      let a = try fleet.host("a")
      let claims = try a.claim(1).claims
      _ = try control(.pause, ids)
      try fleet.expire("a")
      #expect(try fleet.host("b").claim(1).claims.isEmpty)
      #expect(try fleet.state(ids[0]) == .paused)
      // Its host comes back and has it again.
      #expect(try a.beat(claims).claims.map(\.wish) == [.pause])
      #expect(try fleet.board.hosts().first?.claimedCount == 1)
      try fleet.expire("a")
      #expect(try control(.start, ids).applied == ids)
      #expect(try fleet.state(ids[0]) == .queued)
    }

    @Test func `stop and start fence the host`() throws {
      let ids = try fleet.add(["http://a.example/1"])
      let a = try fleet.host("a")
      let claims = try a.claim(1).claims
      #expect(try control(.stop, ids).applied == ids)
      #expect(try a.beat(claims).claims.isEmpty)
      #expect(try !a.place(claims[0]) && !a.finish(claims[0]))
      #expect(try control(.start, ids).applied == ids)
      #expect(try a.beat(claims).claims.isEmpty)
      let again = try a.claim(1).claims
      #expect(try a.finish(again[0], .failed(TransferFailure(.truncated, on: "a"))))
      #expect(try fleet.board.rows(ids).first?.failure?.code == .truncated)
      #expect(try control(.start, ids).applied == ids)
      #expect(try !a.finish(again[0]))
      #expect(try fleet.board.rows(ids).first?.failure == nil)
    }

    @Test func `removal fences the host`() throws {
      let ids = try fleet.add(["http://a.example/1", "http://a.example/2"])
      let a = try fleet.host("a")
      let claims = try a.claim(2).claims
      #expect(try a.place(claims[1]))
      let reply = try control(.remove, ids + [FleetTransferID(rawValue: 99)])
      #expect(reply.applied == [ids[0]] && reply.refused == [ids[1]])
      #expect(reply.unknown == [FleetTransferID(rawValue: 99)])
      #expect(try a.beat(claims).claims.map(\.key) == [claims[1].key])
      #expect(try !a.finish(claims[0]) && a.finish(claims[1]))
      #expect(try fleet.board.rows(ids).map(\.id) == [ids[1]])
    }

    @Test func `placing is not interrupted before the lease ends`() throws {
      let ids = try fleet.add(["http://a.example/1"])
      let a = try fleet.host("a")
      #expect(try a.place(a.claim(1).claims[0]))
      for verb in [FleetControl.Verb.pause, .stop, .remove] {
        #expect(try control(verb, ids).refused == ids)
      }
      try fleet.expire("a")
      #expect(try control(.stop, ids).applied == ids)
    }

    @Test func `a filter names what can change`() throws {
      let ids = try fleet.add((1...4).map { "http://a.example/\($0)" })
      try fleet.add(["http://b.example/1"])
      let a = try fleet.host("a")
      #expect(try a.finish(a.claim(1).claims[0]))
      let filter = FleetFilter(host: "a.example")
      let done = try fleet.board.ids(matching: FleetFilter(states: [.completed]))
      let pause = FleetControl(.pause, ids: nil, filter: filter, except: [ids[3]])
      let paused = try fleet.board.control(pause).applied
      #expect(paused == ids.filter { $0 != ids[3] && !done.contains($0) })
      #expect(try fleet.board.ids(matching: FleetFilter(states: [.paused])) == paused)
    }

    @Test func `what is there already is not added again`() throws {
      let first = try fleet.add(["http://a.example/1", "http://a.example/2"], isUnique: true)
      let urls = ["http://a.example/2", "http://a.example/3", "http://a.example/3"]
      let second = try fleet.add(urls, isUnique: true)
      #expect(second[0] == first[1] && second[1] == second[2] && second[1] > first[1])
      #expect(try fleet.add(["http://a.example/1"])[0] > second[1])
      #expect(try fleet.board.ids(matching: FleetFilter()).count == 4)
      var order = FleetOrder(url: try TransferURL.parse("http://a.example/1").get().url)
      order.directory = "/elsewhere"
      #expect(try fleet.board.add(FleetAddition(orders: [order], isUnique: true))[0] > second[1])
    }

    @Test func `an order comes back as it was`() throws {
      var order = FleetOrder(url: try TransferURL.parse("http://a.example/ü?a=1%00").get().url)
      order.title = "A \"title\" \\ with 'quotes' and 💧"
      order.name = try FileName(typed: "ü.bin")
      order.directory = "/d"
      order.connections = 3
      _ = try fleet.board.add(FleetAddition(orders: [order], on: "a", priority: 0.25))
      let a = try fleet.host("a")
      let claims = try a.claim(1).claims
      #expect(claims.map(\.order) == [order])
      let row = try #require(try fleet.board.window(FleetWindowRequest(count: 1)).rows.first)
      #expect(row.title == order.title && row.name == "ü.bin" && row.directory == "/d")
      #expect(row.on == "a" && row.priority == 0.25 && row.machine == "a")
      let words = FleetFilter(words: ["TITLE", "'quotes'", "\\"])
      #expect(try fleet.board.ids(matching: words) == [row.id])
      #expect(try fleet.board.ids(matching: FleetFilter(words: ["absent"])).isEmpty)
      #expect(try fleet.board.ids(matching: FleetFilter(machine: "a'")).isEmpty)
      #expect(try fleet.board.ids(matching: FleetFilter(machine: "a")) == [row.id])
      #expect(try fleet.board.ids(matching: FleetFilter(host: "example")) == [row.id])
      #expect(try fleet.board.ids(matching: FleetFilter(host: "xample")).isEmpty)
    }

    @Test func `changes miss no transaction that ends late`() throws {
      let ids = try fleet.add(["http://a.example/1", "http://a.example/2", "http://a.example/3"])
      let late = try SQL(fleet.database)
      try late.run("begin; update kettle.transfer set changed = pg_current_xact_id() where id = 1")
      _ = try control(.pause, [ids[1]])
      let before = try fleet.board.changes(since: nil, countMax: 10)
      #expect(before.rows.isEmpty)
      _ = try control(.remove, [ids[2]])
      let during = try fleet.board.changes(since: before.mark, countMax: 10)
      #expect(during.rows.map(\.id) == [ids[1]] && during.removed == [ids[2]])
      try late.run("commit")
      let after = try fleet.board.changes(since: during.mark, countMax: 10)
      #expect(Set(after.rows.map(\.id)).contains(ids[0]))
      let last = try fleet.board.changes(since: after.mark, countMax: 10)
      #expect(last.rows.isEmpty && last.removed.isEmpty && !last.isIncomplete)
      _ = try control(.stop, [ids[0], ids[1]])
      let short = try fleet.board.changes(since: after.mark, countMax: 1)
      #expect(short.rows.count == 1 && short.isIncomplete)
    }

    @Test func `progress is a change`() throws {
      try fleet.add(["http://a.example/1"])
      let a = try fleet.host("a")
      let claims = try a.claim(1).claims
      let mark = try fleet.board.changes(since: nil, countMax: 10).mark
      var snapshot = try FleetProgress.sample(claims[0].key.id)
      snapshot.bytesReceived = 5
      _ = try a.beat(claims) { $0.progress = [snapshot] }
      let changes = try fleet.board.changes(since: mark, countMax: 10)
      #expect(changes.rows.map(\.progress) == [snapshot])
      #expect(try a.finish(claims[0]))
      #expect(try fleet.sql("select count(*) from kettle.progress") == "0")
    }

    @Test func `hosts origins and health are told`() throws {
      try fleet.add((1...3).map { "http://a.example/\($0)" })
      let a = try fleet.host("a", labels: ["nas"])
      _ = try a.claim(2)
      _ = try a.beat([]) { $0.freeBytes = 12 }
      let host = try #require(try fleet.board.hosts().first)
      #expect(host.name == "a" && host.labels == ["nas"] && host.claimedCount == 2)
      #expect(host.freeBytes == 12 && host.shareCount == 1 && host.aliveForMilliseconds > 0)
      let origin = try #require(try fleet.board.origins().first)
      #expect(origin.origin == "http://a.example" && origin.machines == ["a"])
      #expect(origin.queuedCount == 1 && origin.shares == 1 && origin.connections == nil)
      let old = try SQL(fleet.database)
      try old.run("begin isolation level repeatable read; select 1 from kettle.meta")
      try fleet.expire("a")
      let health = try fleet.board.doctor()
      #expect(health.schemaVersion == 1 && health.orphanedCount == 2 && !health.isReplica)
      // The tests' server does not sync.
      #expect(!health.commitsAreDurable && health.connectionMax == 50)
      #expect(health.oldestSnapshotHolder?.hasPrefix("kettle postgres") == true)
    }
  }
}
