import KettleFleet
import KettleModel
import Testing

@testable import KettlePostgres

extension PostgresTests {
  /// Transfers that all machines want.
  @Suite struct CopyTests {
    private static let digest = String(repeating: "ab", count: 32)
    private static let url = "http://hub.example/model.bin"
    private let fleet: SampleFleet

    init() throws { fleet = try SampleFleet() }

    /// Hosts of these names, which share at 10.0.0.1, 10.0.0.2 and so on.
    private func hosts(_ names: [String]) throws -> [FleetMachine] {
      try names.enumerated().map { number, name in
        try fleet.host(name, sharing: "10.0.0.\(number + 1):7000")
      }
    }

    /// Returns whether the end was accepted.
    private func publish(_ host: FleetMachine, _ claim: FleetClaim) throws -> Bool {
      let end = FleetEnd(
        claim: claim.key, outcome: .published(name: "model.bin", directory: "/d", byteCount: 7),
        sha256: Self.digest)
      return try host.table.finish(FleetEnds(key: host.key, ends: [end])).accepted == [claim.key]
    }

    private func fail(_ host: FleetMachine, _ claim: FleetClaim) throws -> Bool {
      try host.finish(claim, .failed(TransferFailure(.truncated, on: "a")))
    }

    private var states: [FleetState] {
      get throws { try fleet.board.window(FleetWindowRequest(count: 100)).rows.map(\.state) }
    }

    @Test func `one host asks the origin and the others ask it`() throws {
      let all = try hosts(["a", "b", "c"])
      var order = FleetOrder(url: try TransferURL.parse(Self.url).get().url)
      order.headers = [HeaderField(received: "Authorization", "Bearer hub")]
      let ids = try fleet.board.add(FleetAddition(orders: [order], on: "all"))
      #expect(ids.count == 3)
      #expect(try fleet.board.rows(ids).map(\.on) == ["a", "b", "c"])
      let first = try #require(try all[0].claim(9).claims.first)
      #expect(first.share.origin == "http://hub.example" && first.order?.copy == .fromOrigin)
      #expect(first.order?.headers == order.headers)
      #expect(try all[1].claim(9).claims.isEmpty && all[2].claim(9).claims.isEmpty)
      #expect(try publish(all[0], first))

      let second = try #require(try all[1].claim(9).claims.first)
      #expect(second.share.origin == "http://10.0.0.1:7000")
      let copied = try #require(second.order)
      #expect(copied.url.text == "http://10.0.0.1:7000/fleet/\(first.key.id.rawValue)")
      #expect(copied.copy == .fromMachine && copied.name?.text == "model.bin")
      #expect(copied.checksum == Checksum(algorithm: .sha256, hex: Self.digest))
      let secret = try fleet.sql("select share_secret from kettle.meta")
      #expect(copied.headers == [HeaderField(received: "Authorization", "Bearer " + secret)])
      #expect(secret.utf8.count == 64)
      // The origin's share is not needed, and an endpoint has several.
      let third = try #require(try all[2].claim(9).claims.first)
      #expect(third.share.origin == "http://10.0.0.1:7000" && third.share.slot != second.share.slot)
      #expect(try publish(all[1], second) && publish(all[2], third))
      #expect(try states == [.completed, .completed, .completed])
    }

    @Test func `hosts that give no files let the others ask the origin in turn`() throws {
      let all = try ["a", "b"].map { try fleet.host($0) }
      try fleet.add([Self.url], on: "all")
      let first = try all.map { try $0.claim(9).claims }
      #expect(first.map(\.count) == [1, 0])
      #expect(try all[0].finish(first[0][0]))
      _ = try all[0].beat([]) { $0.released = [first[0][0].share] }
      let second = try #require(try all[1].claim(9).claims.first)
      #expect(second.order?.copy == .fromOrigin && second.share.origin == "http://hub.example")
    }

    @Test func `a host that gives files begins`() throws {
      let plain = try fleet.host("a")
      let giving = try fleet.host("b", sharing: "10.0.0.2:7000")
      _ = try fleet.host("watcher", take: 0)
      #expect(try fleet.add([Self.url], on: "all").count == 2)
      #expect(try plain.claim(9).claims.isEmpty)
      #expect(try giving.claim(9).claims.count == 1)
    }

    @Test func `a copy that fails twice is fetched from the origin`() throws {
      let all = try hosts(["a", "b"])
      let ids = try fleet.add([Self.url], on: "all")
      let first = try #require(try all[0].claim(9).claims.first)
      #expect(try publish(all[0], first))
      _ = try all[0].beat([]) { $0.released = [first.share] }
      for _ in 1...2 {
        let claim = try #require(try all[1].claim(9).claims.first)
        #expect(claim.order?.copy == .fromMachine)
        #expect(try fail(all[1], claim))
        #expect(try fleet.board.rows(ids).map(\.state) == [.completed, .queued])
        #expect(try fleet.board.rows(ids).last?.failure == nil)
      }
      let last = try #require(try all[1].claim(9).claims.first)
      #expect(last.order?.copy == .fromOrigin && last.share.origin == "http://hub.example")
      // That failure is one.
      #expect(try fail(all[1], last))
      #expect(try fleet.state(ids[1]) == .failed)
      // A new start begins with the machine again.
      _ = try fleet.board.control(FleetControl(.start, ids: [ids[1]]))
      #expect(try all[1].claim(9).claims.first?.order?.copy == .fromMachine)
    }

    @Test func `a copy does not wait for a host that is gone`() throws {
      let all = try hosts(["a", "b", "c"])
      try fleet.add([Self.url], on: "all")
      let first = try #require(try all[0].claim(9).claims.first)
      #expect(try publish(all[0], first))
      let second = try #require(try all[1].claim(9).claims.first)
      try fleet.expire("a")
      // The claim is lost, and one of the two that are left asks the origin.
      #expect(try all[2].claim(9).claims.isEmpty)
      #expect(try all[1].beat([second]).claims.isEmpty)
      #expect(try !publish(all[1], second))
      let again = try all[1].claim(9).claims + all[2].claim(9).claims
      #expect(again.map { $0.order?.copy } == [.fromOrigin])
    }

    @Test func `a host that is gone before it begins gives way`() throws {
      let all = try hosts(["a", "b"])
      try fleet.add([Self.url], on: "all")
      try fleet.expire("a")
      let claim = try #require(try all[1].claim(9).claims.first)
      #expect(claim.order?.copy == .fromOrigin)
      // It comes back, and waits for the copy.
      #expect(try !all[0].beat([]).hasWork)
      #expect(try publish(all[1], claim))
      #expect(try all[0].beat([]).hasWork)
      #expect(try all[0].claim(9).claims.first?.share.origin == "http://10.0.0.2:7000")
    }

    @Test func `a fetch that is stopped or given back goes on elsewhere`() throws {
      let all = try hosts(["a", "b"])
      let ids = try fleet.add([Self.url], on: "all")
      let claim = try #require(try all[0].claim(9).claims.first)
      _ = try fleet.board.control(FleetControl(.stop, ids: [ids[0]]))
      _ = try all[0].beat([]) { $0.released = [claim.share] }
      let second = try #require(try all[1].claim(9).claims.first)
      #expect(second.order?.copy == .fromOrigin)
      _ = try fleet.board.control(FleetControl(.start, ids: [ids[0]]))
      #expect(try all[0].claim(9).claims.isEmpty)
      _ = try fleet.board.control(FleetControl(.remove, ids: [ids[1]]))
      _ = try all[1].beat([]) { $0.released = [second.share] }
      #expect(try all[0].claim(9).claims.first?.order?.copy == .fromOrigin)
    }

    @Test func `a host that ceases to give files or drains is not waited for`() throws {
      var all = try hosts(["a", "b"])
      try fleet.add([Self.url], on: "all")
      let first = try #require(try all[0].claim(9).claims.first)
      #expect(try publish(all[0], first))
      let second = try #require(try all[1].claim(9).claims.first)
      all[0] = try fleet.host("a")
      #expect(try all[1].beat([second]).claims.isEmpty)
      _ = try all[0].beat([]) { $0.released = [first.share] }
      #expect(try all[1].claim(9).claims.first?.order?.copy == .fromOrigin)

      let others = try fleet.add(["http://other.example/f"], on: "all")
      try fleet.board.drain(host: "b", true)
      #expect(try all[0].claim(9).claims.map(\.key.id) == [others[0]])
    }

    @Test func `paused copies wait until they are started`() throws {
      let all = try hosts(["a", "b"])
      let ids = try fleet.add([Self.url], on: "all", isPaused: true)
      #expect(try all[0].claim(9).claims.isEmpty && all[1].claim(9).claims.isEmpty)
      _ = try fleet.board.control(FleetControl(.start, ids: ids))
      #expect(try all.map { try $0.claim(9).claims.count } == [1, 0])
    }

    @Test func `nobody is there to fetch a copy`() throws {
      #expect(throws: FleetError.refused("no machine of the fleet that downloads is alive")) {
        try fleet.add([Self.url], on: "all")
      }
    }

    /// Finding the rows of a group must not depend on the length of the queue.
    @Test func `thousands of copies leave a host that is gone in steps`() throws {
      let all = try hosts(["a", "b"])
      let count = 2500
      for start in stride(from: 0, to: count, by: 100) {
        try fleet.add((start..<start + 100).map { "http://hub.example/\($0)" }, on: "all")
      }
      _ = try fleet.sql("analyze")
      try fleet.expire("a")
      let leading = "on_label = 'b' and origin = home and state in (0, 1)"
      for least in [2000, count] {
        _ = try all[1].beat([])
        let led = try fleet.sql("select count(*) from kettle.transfer where \(leading)")
        #expect(try #require(Int(led)) >= least)
      }
      #expect(try all[1].claim(9).claims.count == 9)
    }

    @Test func `a filter by host finds copies wherever they come from`() throws {
      let all = try hosts(["a", "b"])
      let ids = try fleet.add([Self.url], on: "all")
      #expect(try publish(all[0], try #require(try all[0].claim(9).claims.first)))
      #expect(try fleet.board.ids(matching: FleetFilter(host: "hub.example")) == ids)
    }
  }
}
