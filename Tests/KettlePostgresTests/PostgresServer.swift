import Foundation
import Glibc
import KettleFleet
import KettleModel
import TestSupport
import Testing

@testable import KettlePostgres

/// A PostgreSQL of the tests, on a Unix socket in a directory of its own. It ends with the process.
final class PostgresServer: Sendable {
  static let programs: String? = {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return versions.compactMap { Int($0) }.max().map { "\(root)/\($0)/bin" }
  }()

  /// One for all tests; each has its own database.
  static let shared = Result { try PostgresServer() }

  let directory: String
  private let running: Running

  private init() throws {
    let programs = try #require(Self.programs)
    var template = Array("/tmp/kettle-postgres.XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
    directory = String(cString: made)
    // It refuses to run as root.
    let user = getuid() == 0 ? getpwnam("nobody") : nil
    if let user { chown(directory, user.pointee.pw_uid, user.pointee.pw_gid) }
    let output = try NamedPipe(directory + "/output")
    let script = """
      cd \(directory) && exec 2>log
      \(programs)/initdb -D data -A trust -U postgres --locale=C.UTF-8 --no-sync >log &&
      \(programs)/pg_ctl -D data -l log -w start -o "-k \(directory) -h '' -c fsync=off \
        -c max_connections=50 -c max_prepared_transactions=2" >>log && echo ready || echo failed
      exec >>log
      cat
      \(programs)/pg_ctl -D data -m immediate stop
      rm -rf \(directory)
      """
    let shell = ["/bin/sh", "-c", script]
    let words =
      user.map { ["--reuid", "\($0.pointee.pw_uid)", "--regid", "\($0.pointee.pw_gid)"] } ?? []
    running =
      user == nil
      ? try Running(
        "/bin/sh", Array(shell.dropFirst()), ["PATH": "/bin:/usr/bin"], output: output.path)
      : try Running(
        "/usr/bin/setpriv", words + ["--clear-groups"] + shell, ["PATH": "/bin:/usr/bin"],
        output: output.path)
    #expect(output.next(budgetMilliseconds: 60_000) == "ready\n")
  }

  /// The connection string of a new database without a fleet.
  func makeDatabase() throws -> String {
    let name = "t" + UUID().uuidString.filter(\.isHexDigit).lowercased()
    try SQL(text("postgres")).run("create database \(name)")
    return text(name)
  }

  private func text(_ name: String) -> String { "host=\(directory) user=postgres dbname=\(name)" }
}

/// A session for statements of the tests.
struct SQL: ~Copyable {
  private let link: PostgresLink

  init(_ database: String) throws { link = try PostgresLink(ConnectionText(database)) }

  /// Returns the first value of the last result.
  @discardableResult
  func run(_ statements: String) throws -> String { try link.run(statements, within: 60_000) }
}

/// A fleet in a database of its own.
struct SampleFleet {
  let database: String
  let board: PostgresFleet

  init() throws {
    database = try PostgresServer.shared.get().makeDatabase()
    try PostgresFleet.initialize(database)
    board = PostgresFleet.open(database)
  }

  func sql(_ statements: String) throws -> String { try SQL(database).run(statements) }

  /// Adds transfers, and returns their ids.
  @discardableResult
  func add(
    _ urls: [String], on label: String? = nil, priority: Double = 0.5, isPaused: Bool = false,
    isUnique: Bool = false
  ) throws -> [FleetTransferID] {
    let orders = try urls.map { text in
      FleetOrder(url: try TransferURL.parse(text).get().url)
    }
    return try board.add(
      FleetAddition(
        orders: orders, on: label, priority: priority, isPaused: isPaused, isUnique: isUnique))
  }

  func host(
    _ name: String, labels: [String] = [], take: Int = 100, sharing address: String? = nil
  ) throws -> FleetMachine {
    try FleetMachine(database, name, labels, take: take, sharing: address)
  }

  /// Ends the lease of a host, as if it had been silent.
  func expire(_ name: String) throws {
    _ = try sql(
      "update kettle.host set alive_until = now() - interval '1 second' where name = '\(name)'")
  }

  func state(_ id: FleetTransferID) throws -> FleetState? { try board.rows([id]).first?.state }
}

/// A host with its own connection.
struct FleetMachine {
  let table: PostgresFleet
  let labels: [String]
  var key: FleetHostKey

  init(
    _ database: String, _ name: String, _ labels: [String], take: Int = 100,
    sharing address: String? = nil
  ) throws {
    table = PostgresFleet.open(database)
    self.labels = labels
    key = try table.join(
      FleetIntroduction(
        name: name, secret: name, labels: labels, take: take, version: "1", shareAddress: address)
    ).key
  }

  func claim(_ count: Int) throws -> FleetClaimRequest.Reply {
    try table.claim(FleetClaimRequest(key: key, labels: labels, count: count))
  }

  func beat(_ claims: [FleetClaim], _ change: (inout FleetBeat) -> Void = { _ in }) throws
    -> FleetBeat.Reply
  {
    var beat = FleetBeat(key: key)
    beat.claims = claims.map(\.key)
    change(&beat)
    return try table.beat(beat)
  }

  func place(_ claim: FleetClaim) throws -> Bool {
    try table.place(
      FleetPlacement(
        key: key, claim: claim.key, name: "f", directory: "/d", byteCount: 7, modifiedNanoseconds: 9
      ))
  }

  /// Returns whether the end was accepted.
  func finish(_ claim: FleetClaim, _ outcome: FleetEnd.Outcome = .published) throws -> Bool {
    try finish([claim], outcome) == [claim.key]
  }

  func finish(_ claims: [FleetClaim], _ outcome: FleetEnd.Outcome) throws -> [ClaimKey] {
    let ends = claims.map { FleetEnd(claim: $0.key, outcome: outcome) }
    return try table.finish(FleetEnds(key: key, ends: ends)).accepted
  }
}

extension FleetEnd.Outcome {
  static let published = published(name: "f", directory: "/d", byteCount: 7)
}

extension FleetProgress {
  static func sample(_ id: FleetTransferID) throws -> FleetProgress {
    let text = """
      {"id": \(id.rawValue), "state": "running", "bytesReceived": 1, "bytesPerSecond": 2,
       "connections": 3}
      """
    return try JSONDecoder().decode(FleetProgress.self, from: Data(text.utf8))
  }
}
