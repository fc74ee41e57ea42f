import KettleFleet
import KettleModel
import Testing

@testable import KettlePostgres

extension PostgresTests {
  /// Published files that their hosts compare and fetch again.
  @Suite struct ErrandTests {
    private let fleet: SampleFleet
    private let host: FleetMachine

    init() throws {
      fleet = try SampleFleet()
      host = try fleet.host("a")
    }

    private static let now = WallTime(millisecondsSince1970: 1)

    /// Publishes a file of host "a".
    private func publish(_ url: String) throws -> FleetTransferID {
      let id = try fleet.add([url])[0]
      try finish(host.claim(1).claims[0])
      return id
    }

    private func finish(_ claim: FleetClaim) throws {
      var end = FleetEnd(claim: claim.key, outcome: .published)
      end.proof = FileProof(modifiedNanoseconds: 9, byteCount: 7, BlockDigests())
      #expect(
        try host.table.finish(FleetEnds(key: host.key, ends: [end])).accepted == [claim.key])
    }

    private func compare(
      _ id: FleetTransferID, _ consequence: FileErrandRequest.Consequence = .report,
      since: WallTime? = nil
    ) throws -> (since: WallTime, file: FileErrandRequest.Standing?) {
      let reply = try fleet.board.compare(
        FileErrandRequest(ids: [id], since: since, consequence: consequence))
      #expect(reply.files.count == 1)
      return (reply.since, reply.files[0])
    }

    private func report(_ errand: FileErrand?, _ finding: FileCheck.Finding) throws {
      let errand = try #require(errand)
      _ = try host.beat([]) {
        $0.findings = [
          FileFinding(key: errand.key, check: FileCheck(finding, at: Self.now))
        ]
      }
    }

    @Test func `the host of a file is asked, and its finding is the answer`() throws {
      let id = try publish("http://a.example/1")
      #expect(try host.beat([]).errands.isEmpty)
      let (since, file) = try compare(id)
      #expect(file?.isAsked == true && file?.machine == "a" && file?.check == nil)
      let errand = try host.beat([]).errands.first
      #expect(errand?.name == "f" && errand?.directory == "/d" && errand?.byteCount == 7)
      #expect(errand?.proof?.modifiedNanoseconds == 9)
      #expect(try host.claim(1).errands.map(\.key) == [errand?.key])
      #expect(try fleet.host("b").beat([]).errands.isEmpty)
      try report(errand, .intact)
      let answer = try compare(id, since: since).file
      #expect(answer?.isAsked == false && answer?.check?.finding == .intact)
      #expect((answer?.check?.at ?? Self.now) >= since)
      #expect(try host.beat([]).errands.isEmpty)
      #expect(try fleet.board.rows([id]).first?.check?.finding == .intact)
      // Another request asks again, unless the age of the last finding is accepted.
      let aged = FileErrandRequest(ids: [id], ageMaxMilliseconds: 3_600_000)
      #expect(try fleet.board.compare(aged).files.first??.isAsked == false)
      _ = try fleet.sql("select pg_sleep(0.01)")
      #expect(try compare(id).file?.isAsked == true)
    }

    @Test func `a damaged file of a collection is fetched again to where it is`() throws {
      var order = FleetOrder(url: try TransferURL.parse("http://a.example/1").get().url)
      order.folder = MemberPath(foreign: "sub")
      let id = try fleet.board.add(FleetAddition(orders: [order]))[0]
      try finish(host.claim(1).claims[0])
      _ = try compare(id, .repair)
      try report(host.beat([]).errands.first, .damaged)
      let again = try #require(try host.claim(1).claims.first?.order)
      #expect(again.directory == "/d" && again.folder == nil && again.onConflict == .replace)
    }

    @Test func `a damaged file is fetched again by its host, and compared once more`() throws {
      let id = try publish("http://a.example/1")
      let (since, _) = try compare(id, .repair)
      try report(host.beat([]).errands.first, .damaged)
      #expect(try fleet.state(id) == .queued)
      #expect(try compare(id, .repair, since: since).file?.isAsked == true)
      #expect(try fleet.host("b").claim(1).claims.isEmpty)
      let claim = try #require(try host.claim(1).claims.first)
      #expect(claim.order?.onConflict == .replace && claim.order?.directory == "/d")
      #expect(claim.order?.name?.text == "f")
      #expect(try host.beat([claim]).errands.isEmpty)
      try finish(claim)
      let errand = try host.beat([]).errands.first
      #expect(errand?.key == claim.key)
      // The disk did not keep it. It is not fetched a third time.
      try report(errand, .damaged)
      let answer = try compare(id, .repair, since: since).file
      #expect(answer?.isAsked == false && answer?.check?.finding == .damaged)
      #expect(try fleet.state(id) == .completed && host.beat([]).errands.isEmpty)
    }

    @Test func `an edited file is fetched again only if that is wanted`() throws {
      let id = try publish("http://a.example/1")
      let (since, _) = try compare(id, .repair)
      try report(host.beat([]).errands.first, .edited)
      #expect(try compare(id, .repair, since: since).file?.check?.finding == .edited)
      #expect(try fleet.state(id) == .completed)
      _ = try compare(id, .repairEvenIfEdited, since: since)
      try report(host.beat([]).errands.first, .edited)
      #expect(try fleet.state(id) == .queued)
    }

    @Test func `a finding of an earlier file does not count`() throws {
      let id = try publish("http://a.example/1")
      _ = try compare(id, .repair)
      let errand = try host.beat([]).errands.first
      try report(errand, .damaged)
      try finish(try #require(host.claim(1).claims.first))
      try report(errand, .missing)
      #expect(try fleet.board.rows([id]).first?.check?.finding != .missing)
      #expect(try host.beat([]).errands.count == 1)
    }

    @Test func `a repair that fails says why`() throws {
      let id = try publish("http://a.example/1")
      let (since, _) = try compare(id, .repair)
      try report(host.beat([]).errands.first, .damaged)
      let claim = try #require(host.claim(1).claims.first)
      #expect(try host.finish(claim, .failed(TransferFailure(.truncated, on: "a"))))
      let answer = try compare(id, .repair, since: since).file
      #expect(answer?.state == .failed && answer?.isAsked == true)
      #expect(answer?.check?.finding == .damaged && answer?.failure?.code == .truncated)
      #expect(try compare(id, .repair, since: since).file?.isAsked == false)
    }

    @Test func `nobody is asked for what no living host has`() throws {
      let id = try publish("http://a.example/1")
      let queued = try fleet.add(["http://b.example/1"])[0]
      #expect(try compare(queued).file?.isAsked == false)
      #expect(try compare(FleetTransferID(rawValue: 99)).file == nil)
      try fleet.expire("a")
      let lost = try compare(id).file
      #expect(lost?.isAsked == false && lost?.isAlive == false && lost?.machine == "a")
      _ = try host.beat([])
      _ = try compare(id)
      try host.table.leave(host.key)
      let left = try compare(id).file
      #expect(left?.isAlive == false && left?.machine == nil)
      #expect(try fleet.sql("select count(*) from kettle.errand") == "0")
    }
  }
}
