import Foundation
import Glibc
import KettleFleet
import KettleModel
import KettleSystem
import Testing

@testable import KettlePostgres

/// Tests with a real PostgreSQL.
@Suite(.serialized, .enabled(if: PostgresServer.programs != nil, "PostgreSQL is not installed"))
struct PostgresTests {}

extension PostgresTests {
  @Suite struct ConnectionTests {
    @Test func `the schema is created once and never made older`() throws {
      let database = try PostgresServer.shared.get().makeDatabase()
      let board = PostgresFleet.open(database)
      #expect(throws: FleetError.notInitialized) { try board.hosts() }
      try PostgresFleet.initialize(database)
      try PostgresFleet.initialize(database)
      #expect(try board.hosts().isEmpty)
      try SQL(database).run("update kettle.meta set version = 7")
      #expect(throws: FleetError.otherVersion(7)) { try PostgresFleet.initialize(database) }
      board.disconnect()
      #expect(throws: FleetError.otherVersion(7)) { try board.hosts() }
    }

    @Test func `a role of hosts can only call the functions`() throws {
      let server = try PostgresServer.shared.get()
      let database = try server.makeDatabase()
      try SQL(database).run("create role kettle_host login")
      defer { _ = try? SQL(database).run("drop owned by kettle_host; drop role kettle_host") }
      try PostgresFleet.initialize(database)
      let text = database.replacing("user=postgres", with: "user=kettle_host")
      let host = PostgresFleet.open(text)
      let introduction = FleetIntroduction(
        name: "a", secret: "s", labels: [], take: 1, version: "1")
      let key = try host.join(introduction).key
      #expect(try host.beat(FleetBeat(key: key)).needs.isEmpty)
      for statement in [
        "select secret from kettle.host", "delete from kettle.transfer",
        "select kettle.page('{}', true, 0, 0, 1)", "select kettle.give_back('{1}')",
        "create table kettle.x (y integer)",
      ] {
        #expect(throws: PostgresProblem.self) { try SQL(text).run(statement) }
      }
    }

    @Test func `a frozen server is unreachable in time`() throws {
      let fleet = try SampleFleet()
      let board = PostgresFleet.open(
        fleet.database + " application_name=frozen", exchangeMilliseconds: 500)
      _ = try board.hosts()
      let query = "select pid from pg_stat_activity where application_name = 'frozen'"
      let backend = try #require(pid_t(try fleet.sql(query)))
      kill(backend, SIGSTOP)
      defer { kill(backend, SIGCONT) }
      let start = MonotonicTime.now().milliseconds
      #expect(throws: FleetError.unreachable("the database did not answer in time")) {
        try board.hosts()
      }
      #expect((500..<3_000).contains(MonotonicTime.now().milliseconds - start))
      // The next call makes another connection.
      #expect(try board.hosts().isEmpty)
    }

    @Test func `a server that ends the session is found again`() throws {
      let fleet = try SampleFleet()
      _ = try fleet.board.hosts()
      let end = """
        select count(pg_terminate_backend(pid)) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
        """
      _ = try fleet.sql(end)
      // The end may be known before the next call, or only by it.
      _ = try? fleet.board.hosts()
      #expect(try fleet.board.hosts().isEmpty)
    }

    @Test func `an absent server is unreachable`() throws {
      let error = #expect(throws: FleetError.self) {
        try PostgresFleet.open("host=/nowhere dbname=x").hosts()
      }
      guard case .unreachable(let text) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(text.contains("/nowhere") && !text.contains("\n"))
    }

    @Test func `a wait ends in time without a database`() throws {
      let nowhere = PostgresFleet.open("host=/nowhere dbname=x")
      #expect(!nowhere.isWorkAnnounced(withinMilliseconds: 20) && !nowhere.isLocal)
      nowhere.wake()
      #expect(!nowhere.isWorkAnnounced(withinMilliseconds: 60_000))
      #expect(try SampleFleet().board.isLocal)
      #expect(!PostgresFleet.open("host=db.example").isLocal)
    }

    @Test func `no password is stored`() throws {
      let plain = "postgres://u@db/downloads?sslmode=require"
      #expect(try ConnectionText.withoutPassword(plain) == plain)
      for text in ["postgres://u:secret@db/downloads", "host=db password=secret"] {
        #expect(try ConnectionText(text).hasPassword)
        let error = #expect(throws: FleetError.self) { try ConnectionText.withoutPassword(text) }
        #expect(!String(describing: error).contains("secret"))
      }
      #expect(throws: FleetError.self) { try ConnectionText("no such thing") }
    }

    @Test func `the users options come first`() throws {
      let text = try ConnectionText("host=a,b connect_timeout=7 application_name=mine")
      #expect(text.impatient["connect_timeout"] == "7" && text.connectMilliseconds == 14_000)
      #expect(text.impatient["application_name"] == "mine")
      #expect(text.impatient["tcp_user_timeout"] == "5000")
    }
  }
}
