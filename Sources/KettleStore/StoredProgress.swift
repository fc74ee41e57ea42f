import GRDB
import GRDBSQLite
import Glibc
import KettleEngine
import KettleModel
import KettleSystem

/// The table `progress`: the durable ranges of transfers whose record has not been written since.
///
/// Each checkpoint of a running transfer writes one such row. Writing the record as often would
/// change three pages and encode all of it each time. The next write of the record includes the
/// progress and deletes the row, so a row is newer than its record.
enum StoredProgress {
  /// Contains running transfers and those of the last crash: few, however long the list is.
  static func read(_ db: Database) throws -> [TransferID: ByteRangeSet] {
    var progress: [TransferID: ByteRangeSet] = [:]
    let stamp = try StoreLayout.hasStamps(db) ? "stamp" : "NULL"
    let rows = try StoreStatement(db, "SELECT id, held, \(stamp) FROM progress")
    defer { rows.reset() }
    let json = StoredJSON()
    let pages = stamp == "NULL" ? [:] : paths(db).map(ProgressPages.read) ?? [:]
    while try rows.step() {
      let stored = try durable(rows.text(1), json)
      progress[TransferID(rawValue: rows.number(0))] =
        rows.isNull(2) ? stored : pages[rows.number(2)] ?? stored
    }
    return progress
  }

  private static func paths(_ db: Database) -> StorePaths? {
    db.sqliteConnection.flatMap { sqlite3_db_filename($0, nil) }
      .map { StorePaths(String(cString: $0)) }
  }

  private static func durable(_ text: String, _ json: StoredJSON) throws -> ByteRangeSet {
    guard let durable = try? json.value(ByteRangeSet.self, in: text) else {
      throw TransferRowReader.Problem(column: "held")
    }
    return durable
  }

  /// Adds the durable ranges to a record that was read.
  static func complete(_ record: inout TransferRecord, _ db: Database) throws {
    guard record.resumeData != nil else { return }
    let row = try StoreStatement(db, "SELECT held FROM progress WHERE id = ?")
    defer { row.reset() }
    row.bind(record.id.rawValue, at: 1)
    if try row.step() { record.resumeData?.durable = try durable(row.text(0), StoredJSON()) }
  }

  static func put(_ durable: ByteRangeSet, of id: TransferID, _ db: Database) throws {
    let statement = try StoreStatement(
      db,
      """
      INSERT INTO progress (id, held) VALUES (?, ?)
      ON CONFLICT (id) DO UPDATE SET held = excluded.held
      """)
    statement.bind(id.rawValue, at: 1)
    statement.bind(try StoredJSON().text(durable), at: 2)
    try statement.run()
  }

  static func remove(_ id: TransferID, _ db: Database) throws {
    let statement = try StoreStatement(db, "DELETE FROM progress WHERE id = ?")
    statement.bind(id.rawValue, at: 1)
    try statement.run()
  }

  /// Writes progress left by a crash into the records: lists are sorted and summed by records
  /// alone.
  static func settle(_ db: Database) throws {
    let progress = try read(db)
    if progress.isEmpty { return }
    let records = try RecordFetch(db).records(progress.keys.map(\.rawValue).sorted())
    var writer = try TransferRowWriter(db, lastID: .max)
    try writer.apply(records.map(JournalChange.put))
    try writer.finish()
    try db.execute(sql: "DELETE FROM progress")
  }

  /// Moves the progress in the pages of version 6 into the rows.
  static func adoptPages(_ db: Database) throws {
    for (id, durable) in try read(db) { try put(durable, of: id, db) }
    try db.execute(sql: "ALTER TABLE progress DROP COLUMN stamp")
  }
}

/// Reads the progress file of store version 6.
///
/// That version wrote the progress of fast transfers into pages of a file beside the store. A page
/// counts only for the row of the table `progress` that has its stamp. A transfer has two pages,
/// each with a sequence number and a checksum; the newer valid one counts.
enum ProgressPages {
  /// Returns the durable ranges by stamp. A missing or unreadable file yields nothing: the rows
  /// then contain less, but nothing wrong.
  static func read(_ paths: StorePaths) -> [Int64: ByteRangeSet] {
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    guard let file = OwnedDescriptor(opened: Glibc.open(paths.progressPath, flags)) else {
      return [:]
    }
    var newest: [Int64: ProgressPage] = [:]
    var index: Int64 = 0
    while let words = ProgressPage.words(of: file.number, at: index) {
      index += 1
      guard let page = ProgressPage(words) else { continue }
      if let known = newest[page.stamp], known.sequence > page.sequence { continue }
      newest[page.stamp] = page
    }
    return newest.mapValues(\.durable)
  }
}

/// One page: a mark, the stamp, an increasing number, the count of the ranges, their bounds, and in
/// the last word a checksum of all others. 64-bit words, little-endian.
struct ProgressPage {
  let stamp: Int64
  let sequence: Int64
  let durable: ByteRangeSet

  static let byteCount = 4096
  static let rangeCountMax = (wordCount - headCount - 1) / 2
  private static let wordCount = byteCount / 8
  private static let headCount = 4
  /// "KttlHeld".
  private static let mark: Int64 = 0x4B74_746C_4865_6C64

  /// Returns nil if the words are not a page, or one that was not completely written.
  init?(_ words: [Int64]) {
    guard words.count == Self.wordCount, words[0] == Self.mark, words.last == Self.sum(words),
      (0...Int64(Self.rangeCountMax)).contains(words[3])
    else { return nil }
    var durable = ByteRangeSet()
    for index in 0..<Int(words[3]) {
      let lower = words[Self.headCount + 2 * index]
      guard let range = ByteRange(lower: lower, upper: words[Self.headCount + 2 * index + 1])
      else { return nil }
      durable.insert(range)
    }
    stamp = words[1]
    sequence = words[2]
    self.durable = durable
  }

  /// Each word affects all later bits of the checksum.
  private static func sum(_ words: [Int64]) -> Int64 {
    var sum: UInt64 = 0
    for word in words.dropLast() {
      sum = (sum ^ UInt64(bitPattern: word)) &* 0x9E37_79B9_7F4A_7C15
      sum ^= sum >> 32
    }
    return Int64(bitPattern: sum)
  }

  /// Returns nil past the last page.
  fileprivate static func words(of descriptor: Int32, at index: Int64) -> [Int64]? {
    var words = [Int64](repeating: 0, count: wordCount)
    let offset = off_t(index) * off_t(byteCount)
    let count = words.withUnsafeMutableBytes { bytes in
      pread(descriptor, bytes.baseAddress, bytes.count, offset)
    }
    return count == byteCount ? words.map { Int64(littleEndian: $0) } : nil
  }
}
