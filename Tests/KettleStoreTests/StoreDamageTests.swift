import Glibc
import GRDB
import KettleEngine
import KettleModel
import Testing
import TestSupport

@testable import KettleStore

@Suite struct StoreDamageTests {
  private let scratch: StoreScratch
  private var aside: String { scratch.path + ".damaged-" + StoreScratch.stamp }

  init() throws { scratch = try StoreScratch() }

  private func meddle(_ sql: String) throws { try scratch.meddle(sql) }

  /// Opens the store and expects that the original bytes are set aside unchanged.
  private func openDamaged() throws -> (StoreNotice, JournalContents) {
    let before = try scratch.bytes(scratch.path)
    let opening = try scratch.open()
    let notice = try #require(opening.notice)
    #expect(notice.asidePath == aside)
    #expect(try scratch.bytes(aside) == before)
    #expect(StoreScratch.mode(of: scratch.path) == 0o600)
    return (notice, try opening.journal.whole())
  }

  // MARK: Files that are not a store

  // Fault 99
  @Test(arguments: [
    [], [0], Array("hello, this is no database at all".utf8), [UInt8](repeating: 0, count: 8192),
    [UInt8](repeating: 0xFF, count: 100_000), Array("SQLite format 3\u{0}".utf8),
  ])
  func `a file that is not a store is set aside and an empty store is created`(_ content: [UInt8])
    throws
  {
    _ = try StorePaths(scratch.path).prepareDirectory()
    try scratch.put(content, scratch.path)
    let (notice, contents) = try openDamaged()
    #expect(contents.records == [])
    #expect(notice.keptCount == 0)
    // The next start finds a good store.
    #expect(try scratch.open().notice == nil)
  }

  // Fault 99
  @Test func `another program's database is set aside`() throws {
    _ = try StorePaths(scratch.path).prepareDirectory()
    let queue = try DatabaseQueue(path: scratch.path)
    try queue.write { db in try db.execute(sql: "CREATE TABLE bookmark (url TEXT)") }
    try queue.close()
    let (notice, contents) = try openDamaged()
    #expect(contents.records == [])
    #expect(notice.reason == "it is not a store of Kettle")
  }

  // Fault 99
  @Test func `damaged stores set aside in the same second get numbered names`() throws {
    for number in 1...3 {
      _ = try StorePaths(scratch.path).prepareDirectory()
      for suffix in ["-wal", "-shm"] { unlink(scratch.path + suffix) }
      try scratch.put([UInt8(number)], scratch.path)
      let notice = try #require(try scratch.open().notice)
      #expect(notice.asidePath == (number == 1 ? aside : aside + "-\(number)"))
      #expect(try scratch.bytes(#require(notice.asidePath)) == [UInt8(number)])
    }
  }

  // Fault 99
  @Test func `the log is set aside with its store under the matching name`() throws {
    let journal = try scratch.open().journal
    try journal.commit(Sample.puts(1...3))
    try journal.queue.inDatabase { db in
      try db.execute(sql: "UPDATE transfer SET url = 'nonsense' WHERE id = 2")
    }
    // As after a kill: the changes are only in the log.
    let copy = try StoreScratch()
    _ = try StorePaths(copy.path).prepareDirectory()
    for suffix in ["", "-wal"] {
      try copy.put(try scratch.bytes(scratch.path + suffix), copy.path + suffix)
    }
    let log = try copy.bytes(copy.path + "-wal")
    let opening = try copy.open()
    let notice = try #require(opening.notice)
    #expect(try opening.journal.whole().records == [Sample.plain(1), Sample.plain(3)])
    #expect(try copy.bytes(#require(notice.asidePath) + "-wal") == log)
    try journal.close()
  }

  // MARK: Invalid rows

  // Fault 99
  @Test func `an invalid row does not cost the others`() throws {
    try scratch.fill(Sample.puts(1...50))
    try meddle("UPDATE transfer SET url = 'nfs://nowhere' WHERE id = 17")
    let (notice, contents) = try openDamaged()
    #expect(contents.records.map(\.id.rawValue) == Array(1...16) + Array(18...50))
    #expect(contents.lastID.rawValue == 50)
    #expect(notice.keptCount == 49)
    #expect(notice.lostCount == 1)
    #expect(notice.reason == "\"url\" of a transfer makes no sense")
  }

  // Fault 99
  @Test(arguments: [
    "state = 'flying'", "state = ''", "reason = 'because'", "priority = 7.5", "on_conflict = 'x'",
    "beginning = ''", "headers = '{'", "login = '[]'", "resume_data = '{}'",
    "checksum = 'sha256:0'",
    "task = '{}'", "task_status = '[]'", "task_status = NULL", "task = NULL",
    "finished_file = 'null'", "failure = '{\"code\":\"x\"}'", "fresh_start = '?'",
    "retry_count = -1", "queue_position = 9223372036854775807", "retry_count = 9223372036854775807",
  ])
  func `an invalid field is dropped and the transfer is kept`(_ assignment: String) throws {
    try scratch.fill([.put(Sample.full(1)), .put(Sample.full(2))])
    try meddle("UPDATE transfer SET \(assignment) WHERE id = 2")
    let (notice, contents) = try openDamaged()
    #expect(notice.keptCount == 2)
    #expect(notice.lostCount == 0)
    #expect(contents.records.first == Sample.full(1))
    let saved = try #require(contents.records.last)
    #expect(saved.spec.url == Sample.full(2).spec.url)
    #expect(saved.spec.title == Sample.full(2).spec.title)
    if assignment.hasPrefix("state") { #expect(saved.state == .paused) }
  }

  // Fault 99
  @Test func `an unreadable request is not treated as a plain one`() throws {
    try scratch.fill([.put(Sample.full(1)), .put(Sample.full(2))])
    try meddle("UPDATE transfer SET request = '{}' WHERE id = 2")
    let (notice, contents) = try openDamaged()
    #expect(contents.records == [Sample.full(1)])
    #expect(notice.lostCount == 1)
  }

  // Fault 99
  @Test(arguments: ["'{'", "json_set(record, '$.id', 'org.example.b')"])
  func `an invalid session costs neither the others nor its transfers`(
    _ record: String
  ) throws {
    try scratch.fill([
      .putSession(Sample.session("org.example.a")), .putSession(Sample.session("org.example.c")),
      .put(Sample.plain(1, session: "org.example.a", task: 7)),
    ])
    try meddle("UPDATE session SET record = \(record) WHERE name = 'org.example.a'")
    let (notice, contents) = try openDamaged()
    #expect(notice.reason == "\"session\" of a transfer makes no sense")
    #expect(contents.sessions == [Sample.session("org.example.c")])
    #expect(contents.records == [Sample.plain(1, session: "org.example.a", task: 7)])
    #expect(contents.lastTaskIdentifiers[SessionID(rawValue: "org.example.a")] == 7)
  }

  private static let removeColumns = """
    ALTER TABLE transfer DROP COLUMN request;
    ALTER TABLE transfer DROP COLUMN task;
    ALTER TABLE transfer DROP COLUMN task_status;
    ALTER TABLE session DROP COLUMN record;
    """

  // Fault 99
  // Fault 100
  @Test func `every readable transfer is recovered from a store that lacks columns`() throws {
    try scratch.fill(Sample.puts(1...20))
    try meddle(
      Self.removeColumns + "UPDATE transfer SET url = 'nfs://nowhere' WHERE id = 17")
    let (notice, contents) = try openDamaged()
    #expect(contents.records.count == 19)
    #expect(notice.lostCount == 1)
  }

  // Fault 99
  @Test(arguments: [
    "DELETE FROM grdb_migrations WHERE identifier = 'v1'", removeColumns,
  ])
  func `tables that contradict the schema version cost no transfer`(_ sql: String) throws {
    try scratch.fill(Sample.puts(1...20))
    try meddle(sql)
    let (notice, contents) = try openDamaged()
    #expect(notice.reason == "its tables are not those of its version")
    #expect(contents.records == (1...20).map { Sample.plain($0) })
    #expect(try scratch.open().notice == nil)
  }

  // Fault 99
  @Test func `sessions and tasks are recovered from a damaged store`() throws {
    try scratch.fill([
      .putSession(Sample.session("org.example.app")), .put(Sample.full(1)), .put(Sample.plain(2)),
    ])
    try meddle("UPDATE transfer SET state = 'flying' WHERE id = 2")
    let (_, contents) = try openDamaged()
    #expect(contents.sessions == [Sample.session("org.example.app")])
    #expect(contents.records.first == Sample.full(1))
    let again = try scratch.open()
    #expect(again.notice == nil)
    #expect(try again.journal.whole().sessions == [Sample.session("org.example.app")])
  }

  // Fault 99
  @Test(arguments: [
    "[5, 3]", "[0, 10, 10, 20]", "[-1, 4]", "[0]", "[0, 10, 5, 20]", "[0, 9223372036854775808]",
  ])
  func `resume data with invalid durable ranges is discarded`(_ durable: String) throws {
    try scratch.fill([.put(Sample.full(1))])
    try meddle(
      "UPDATE transfer SET resume_data = json_set(resume_data, '$.held', json('\(durable)'))")
    let (_, contents) = try openDamaged()
    #expect(contents.records.first?.resumeData == nil)
  }

  // Fault 99
  @Test(arguments: ["id = -4", "id = 9223372036854775807", "task_identifier = 9223372036854775807"])
  func `a transfer with an out-of-range identifier is not recovered`(
    _ assignment: String
  ) throws {
    try scratch.fill(Sample.puts(1...3))
    try meddle("UPDATE transfer SET \(assignment) WHERE id = 3")
    let (_, contents) = try openDamaged()
    #expect(contents.records.count == 2)
    #expect(contents.lastID.rawValue <= 3)
  }

  // Fault 99
  @Test func `an invalid counter is derived from the transfers`() throws {
    try scratch.fill(Sample.puts(1...3))
    try meddle("UPDATE counter SET value = -7; UPDATE session SET last_task_identifier = -1")
    let (_, contents) = try openDamaged()
    #expect(contents.records.count == 3)
    #expect(contents.lastID.rawValue == 3)
    #expect(contents.lastTaskIdentifiers == [.kettle: 3])
  }

  // Fault 99
  @Test func `two transfers with one task identifier are both kept`() throws {
    try scratch.fill(Sample.puts(1...3))
    try meddle(
      """
      CREATE TABLE copy AS SELECT * FROM transfer;
      DROP TABLE transfer;
      ALTER TABLE copy RENAME TO transfer;
      UPDATE transfer SET task_identifier = 1;
      UPDATE transfer SET state = 'x' WHERE id = 1;
      """)
    let (notice, contents) = try openDamaged()
    #expect(notice.keptCount == 3)
    #expect(contents.records.map(\.taskIdentifier) == [1, 4, 5])
    #expect(contents.lastTaskIdentifiers == [.kettle: 5])
  }

  // MARK: Corrupt bytes

  // Fault 99
  @Test func `a truncated store gives back only intact transfers`() throws {
    try scratch.fill(Sample.puts(1...2000))
    let bytes = try scratch.bytes(scratch.path)
    try scratch.put(Array(bytes.prefix(bytes.count / 2)), scratch.path)
    let (_, contents) = try openDamaged()
    #expect(contents.records.allSatisfy { $0 == Sample.plain($0.id.rawValue) })
  }

  // Fault 99
  @Test func `corrupt pages cost only the transfers on them`() throws {
    try scratch.fill(Sample.puts(1...2000))
    var bytes = try scratch.bytes(scratch.path)
    for id: Int64 in [500, 1000, 1500] {
      let page = try pageOfTransfer(id)
      for index in (page - 1) * 4096..<page * 4096 { bytes[index] = 0xA5 }
    }
    try scratch.put(bytes, scratch.path)
    let (notice, contents) = try openDamaged()
    #expect(contents.records.count > 1900)
    #expect(contents.records.count < 2000)
    // Also between two damaged pages.
    let kept = Set(contents.records.map(\.id.rawValue))
    #expect(!kept.contains(1000) && kept.contains(750) && kept.contains(1250))
    #expect(contents.records.first?.id.rawValue == 1)
    #expect(contents.records.last?.id.rawValue == 2000)
    #expect(contents.records.allSatisfy { $0 == Sample.plain($0.id.rawValue) })
    #expect(notice.lostCount == nil)
  }

  // Fault 99
  @Test func `a header that forbids writing is detected as damage when the store opens`() throws {
    try scratch.fill(Sample.puts(1...20))
    var bytes = try scratch.bytes(scratch.path)
    // The file format write version (sqlite.org/fileformat2.html, 1.3.3).
    bytes[18] = 9
    try scratch.put(bytes, scratch.path)
    let (notice, contents) = try openDamaged()
    #expect(contents.records == (1...20).map { Sample.plain($0) })
    #expect(notice.lostCount == 0)
  }

  // Fault 99
  @Test(arguments: [
    ["transfer", "REFERENCES session (name)", "REFERENCES session (nbme)"],
    ["transfer", "REFERENCES session (name)", "REFERENCES sessiom (name)"],
    ["session", "name TEXT NOT NULL PRIMARY KEY", "nbme TEXT NOT NULL PRIMARY KEY"],
    ["session", "last_task_identifier", "lbst_task_identifier"],
    ["counter", "value", "vblue"],
  ])
  func `inconsistent table definitions are damage and cost no transfer`(
    _ edit: [String]
  ) throws {
    try scratch.fill(Sample.puts(1...3))
    try meddle(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, '\(edit[1])', '\(edit[2])')
      WHERE name = '\(edit[0])';
      """)
    let (notice, contents) = try openDamaged()
    #expect(notice.keptCount == 3)
    #expect(contents.records.map(\.id.rawValue) == [1, 2, 3])
    let journal = try scratch.open().journal
    try journal.commit([.put(Sample.plain(4))])
  }

  // Fault 99
  @Test(arguments: TransferIndex.allCases)
  func `a corrupt index costs no transfer`(_ index: TransferIndex) throws {
    try scratch.fill(Sample.puts(1...20))
    let queue = try DatabaseQueue(path: scratch.path)
    let page = try queue.read { db in
      try Int.fetchOne(
        db, sql: "SELECT rootpage FROM sqlite_master WHERE name = ?", arguments: [index.name])
    }
    try queue.close()
    var bytes = try scratch.bytes(scratch.path)
    let start = try (#require(page) - 1) * 4096
    let leaf = try (pageOfTransfer(1) - 1) * 4096
    bytes.replaceSubrange(start..<start + 4096, with: Array(bytes[leaf..<leaf + 4096]))
    try scratch.put(bytes, scratch.path)
    let (notice, contents) = try openDamaged()
    #expect(contents.records == (1...20).map { Sample.plain($0) })
    #expect(notice.reason == "an index does not lead to every transfer")
  }

  /// The table page with the row of the transfer, found by its URL.
  private func pageOfTransfer(_ id: Int64) throws -> Int {
    let bytes = try scratch.bytes(scratch.path)
    let text = Array("https://example.org/files/\(id).iso".utf8)
    let offset = try #require(
      (0..<bytes.count - text.count).first {
        bytes[$0] == text[0] && Array(bytes[$0..<$0 + text.count]) == text
      })
    return offset / 4096 + 1
  }
}
