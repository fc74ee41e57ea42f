import Glibc
import GRDB
import KettleEngine
import KettleModel
import KettleSystem
import Testing
import TestSupport

@testable import KettleStore

@Suite struct StoreOpeningTests {
  private let scratch: StoreScratch

  init() throws { scratch = try StoreScratch() }

  private func mode(_ path: String) -> mode_t? { StoreScratch.mode(of: path) }

  // MARK: Access

  // Fault 94
  @Test func `the store and its directory are private to the user from their creation`() throws {
    let journal = try scratch.open().journal
    try journal.commit(Sample.puts(1...3))
    #expect(mode(scratch.directory) == 0o700)
    #expect(
      try scratch.names() == [
        "store.sqlite", "store.sqlite-commits", "store.sqlite-shm", "store.sqlite-wal",
      ])
    for suffix in ["", "-wal", "-shm"] { #expect(mode(scratch.path + suffix) == 0o600) }
  }

  // Fault 94
  @Test func `a store readable by others is made private`() throws {
    try scratch.fill(Sample.puts(1...1))
    chmod(scratch.path, 0o644)
    chmod(scratch.directory, 0o755)
    _ = try scratch.open()
    #expect(mode(scratch.path) == 0o600)
    #expect(mode(scratch.directory) == 0o700)
  }

  // Fault 99
  @Test(.enabled(if: geteuid() == 0)) func `another user's store is refused`() throws {
    try scratch.fill(Sample.puts(1...1))
    chown(scratch.path, 65_534, 65_534)
    let error = #expect(throws: StoreError.self) { try scratch.open() }
    #expect(error?.code == .wrongOwner)
    chown(scratch.path, 0, 0)
    chown(scratch.directory, 65_534, 65_534)
    #expect(throws: StoreError.self) { try scratch.open() }
  }

  // Fault 166
  @Test(arguments: [EINVAL, EPERM, ENOSYS, EIO])
  func `a store begins where the file system cannot rename without replacing`(
    _ number: Int32
  ) throws {
    var refusing = FreeNameRename()
    refusing.calls.renameToFree = { _, _, _ in
      errno = number
      return -1
    }
    refusing.calls.link = refusing.calls.renameToFree
    let paths = StorePaths(scratch.path, freeNameRename: refusing)
    try paths.prepareDirectory()
    try paths.makeUnfinished()
    try paths.adoptUnfinished()
    #expect(try scratch.names() == ["store.sqlite"])
    // No store is ever replaced.
    try paths.makeUnfinished()
    #expect(throws: StoreError.self) { try paths.adoptUnfinished() }
    let aside = try paths.setAside(at: StoreScratch.now)
    #expect(access(aside, F_OK) == 0 && access(scratch.path, F_OK) != 0)
  }

  // Fault 99
  @Test func `a directory in place of the store is reported and left untouched`() throws {
    _ = try StorePaths(scratch.path).prepareDirectory()
    #expect(mkdir(scratch.path, 0o700) == 0)
    let error = #expect(throws: StoreError.self) { try scratch.open() }
    #expect(error?.code == .unreadable)
    #expect(try scratch.names() == ["store.sqlite"])
  }

  // MARK: Versions

  // Fault 99
  // Fault 101
  @Test func `a newer store is refused and not touched`() throws {
    try scratch.fill(Sample.puts(1...5))
    let newer = try DatabaseQueue(path: scratch.path, configuration: StoreSchema.writing)
    try newer.write { db in
      try db.execute(
        sql: """
          ALTER TABLE transfer ADD COLUMN mirror TEXT;
          INSERT INTO grdb_migrations (identifier) VALUES ('version 4');
          PRAGMA user_version = 4;
          """)
    }
    try newer.close()
    let before = try scratch.bytes(scratch.path)
    let error = #expect(throws: StoreError.self) { try scratch.open() }
    #expect(error?.code == .newer)
    #expect(
      error?.sentence
        == "The store \"\(scratch.path)\" was made by a newer Kettle "
        + "(its version is 4, this Kettle knows 3); install that version again, "
        + "or move the file away to begin with an empty list")
    #expect(try scratch.bytes(scratch.path) == before)
    #expect(try scratch.names().filter { $0.contains("damaged") } == [])
  }

  // MARK: Interrupted starts

  // Fault 76
  @Test func `an interrupted store creation is repeated at the next start`() throws {
    _ = try StorePaths(scratch.path).prepareDirectory()
    try scratch.put([], scratch.path + ".new")
    try scratch.put([1, 2, 3], scratch.path + ".new-wal")
    let opening = try scratch.open()
    #expect(opening.notice == nil)
    #expect(try opening.journal.whole().records == [])
    #expect(
      try scratch.names() == [
        "store.sqlite", "store.sqlite-commits", "store.sqlite-shm", "store.sqlite-wal",
      ])
  }

  // Fault 76
  @Test func `a store creation killed in the middle of a transaction is repeated`() throws {
    let unfinished = scratch.path + ".new"
    try scratch.open().journal.close()
    #expect(rename(scratch.path, unfinished) == 0)
    // The header of a hot journal (sqlite.org/fileformat2.html, 3), which a read-only connection
    // cannot roll back.
    let head: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    try scratch.put(head + [UInt8](repeating: 0, count: 504), unfinished + "-journal")
    let opening = try scratch.open()
    #expect(opening.notice == nil)
    try opening.journal.commit(Sample.puts(1...1))
    #expect(mode(unfinished) == nil)
    #expect(mode(unfinished + "-journal") == nil)
  }

  // Fault 76
  @Test func `a complete new store that was not yet renamed is adopted`() throws {
    try scratch.fill(Sample.puts(1...5))
    #expect(rename(scratch.path, scratch.path + ".new") == 0)
    #expect(try scratch.open().journal.whole().records.count == 5)
    #expect(mode(scratch.path + ".new") == nil)
  }

  // Fault 99
  @Test func `a log without its store is set aside and not replayed into a new one`() throws {
    let other = try StoreScratch()
    let journal = try other.open().journal
    try journal.commit(Sample.puts(1...5))
    _ = try StorePaths(scratch.path).prepareDirectory()
    let log = try other.bytes(other.path + "-wal")
    try scratch.put(log, scratch.path + "-wal")
    let opening = try scratch.open()
    #expect(try opening.journal.whole().records == [])
    let aside = scratch.path + ".damaged-" + StoreScratch.stamp
    #expect(opening.notice?.asidePath == aside)
    #expect(try scratch.bytes(aside + "-wal") == log)
  }

  // MARK: The notice

  @Test func `the notice states what happened, to which store, and what to do`() {
    var notice = StoreNotice(
      path: "/s/store.sqlite", asidePath: "/s/store.sqlite.damaged-X", reason: "not a database",
      keptCount: 41, lostCount: 1)
    #expect(
      notice.sentence
        == "The store \"/s/store.sqlite\" was damaged (not a database) and is kept as "
        + "\"/s/store.sqlite.damaged-X\"; 41 of its transfers could be read, 1 could not; "
        + "add again what is missing")
    notice.lostCount = nil
    #expect(
      notice.sentence
        == "The store \"/s/store.sqlite\" was damaged (not a database) and is kept as "
        + "\"/s/store.sqlite.damaged-X\"; 41 of its transfers could be read, "
        + "how many are missing is not known; add again what is missing")
  }
}
