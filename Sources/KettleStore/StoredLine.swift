import GRDB
import KettleModel
import KettleScheduler

/// The queue of dormant transfers that wait for a free slot, read through the indexes.
struct StoredLine {
  /// The position of a transfer in the queue.
  struct Entry {
    var priority: Double
    var position: Int64
    var id: Int64

    func isBefore(_ other: Entry) -> Bool {
      if priority != other.priority { return priority > other.priority }
      return (position, id) < (other.position, other.id)
    }
  }

  let db: Database
  /// The condition for those that are not left out; with the word AND before it, or empty.
  private let isWanted: String

  /// - Parameter leftOut: the user's queues whose transfers are passed over.
  init(_ db: Database, leavingOut leftOut: Set<QueueName> = []) {
    self.db = db
    // A name has letters, digits, "-" and "_" only.
    let names = leftOut.sorted().map { "'\($0.text)'" }.joined(separator: ", ")
    isWanted = leftOut.isEmpty ? "" : "AND \(StoreSchema.queueOfUser) NOT IN (\(names))"
  }

  func first(at origin: String, _ countMax: Int) throws -> [Entry] {
    let statement = try StoreStatement(
      db,
      """
      SELECT priority, queue_position, id FROM transfer INDEXED BY \(TransferIndex.byOrigin.name)
      WHERE \(StoreSchema.isInLine) AND origin = ? \(isWanted)
      ORDER BY priority DESC, queue_position, id LIMIT ?
      """)
    defer { statement.reset() }
    statement.bind(origin, at: 1)
    statement.bind(Int64(countMax), at: 2)
    var entries: [Entry] = []
    while try statement.step() {
      entries.append(
        Entry(
          priority: statement.real(0), position: statement.number(1), id: statement.number(2)))
    }
    return entries
  }

  /// The front of the queue nearly always contains other hosts, or there are few hosts. The queue
  /// is scanned in full only when many transfers of a busy host precede many hosts.
  func first(elsewhereThan others: Set<String>, _ countMax: Int) throws -> [Int64] {
    if countMax <= 0 { return [] }
    if let ids = try along(others, countMax, stepCountMax: Self.nearCount) { return ids }
    if let ids = try byOrigin(others, countMax) { return ids }
    return try along(others, countMax, stepCountMax: .max) ?? []
  }

  private static let nearCount = 2048
  private static let originCountMax = 1024

  /// Scans the queue of all hosts. Returns nil if that takes too many steps.
  private func along(
    _ others: Set<String>, _ countMax: Int, stepCountMax: Int
  ) throws -> [Int64]? {
    let statement = try StoreStatement(
      db,
      """
      SELECT id, origin FROM transfer INDEXED BY \(TransferIndex.byLine.name)
      WHERE \(StoreSchema.isInLine) \(isWanted) ORDER BY priority DESC, queue_position, id
      """)
    defer { statement.reset() }
    var ids: [Int64] = []
    var stepCount = 0
    while ids.count < countMax, try statement.step() {
      if stepCount == stepCountMax { return nil }
      stepCount += 1
      if others.isEmpty || !others.contains(statement.text(1)) { ids.append(statement.number(0)) }
    }
    return ids
  }

  /// Merges the queues of all other hosts. Returns nil if there are many.
  private func byOrigin(_ others: Set<String>, _ countMax: Int) throws -> [Int64]? {
    let statement = try StoreStatement(
      db,
      """
      SELECT origin FROM transfer INDEXED BY \(TransferIndex.byOrigin.name)
      WHERE \(StoreSchema.isInLine) AND origin > ? ORDER BY origin LIMIT 1
      """)
    defer { statement.reset() }
    var entries: [Entry] = []
    var origin = ""
    for _ in 0..<Self.originCountMax {
      statement.reset()
      statement.bind(origin, at: 1)
      guard try statement.step() else {
        return entries.sorted { $0.isBefore($1) }.prefix(countMax).map(\.id)
      }
      origin = statement.text(0)
      if !others.contains(origin) { entries += try first(at: origin, countMax) }
    }
    return nil
  }
}

/// The queue for estimates, which need few columns of many rows.
extension StoredLine {
  func entries(_ countMax: Int) throws -> [QueueEntry] {
    let statement = try StoreStatement(
      db,
      """
      SELECT priority, queue_position, id, origin, session, bytes_received, bytes_expected,
        \(StoreSchema.queueName)
      FROM transfer INDEXED BY \(TransferIndex.byLine.name)
      WHERE \(StoreSchema.isInLine) ORDER BY priority DESC, queue_position, id LIMIT ?
      """)
    defer { statement.reset() }
    statement.bind(Int64(countMax), at: 1)
    var origins: [String: Origin] = [:]
    var entries: [QueueEntry] = []
    while try statement.step() {
      let text = statement.text(3)
      // Damage is found by the code that reads whole records.
      guard let origin = origins[text] ?? Self.origin(text),
        let priority = TransferPriority(statement.real(0))
      else { continue }
      origins[text] = origin
      entries.append(
        QueueEntry(
          id: TransferID(rawValue: statement.number(2)), priority: priority,
          position: statement.number(1), origin: origin,
          session: SessionID(rawValue: statement.text(4)),
          queue: statement.isNull(7) ? .standard : QueueName(statement.text(7)),
          bytesReceived: statement.number(5),
          bytesExpected: statement.isNull(6) ? nil : statement.number(6)))
    }
    return entries
  }

  private static func origin(_ text: String) -> Origin? {
    guard case .success(let parsed) = TransferURL.parse(text + "/") else { return nil }
    return parsed.url.origin
  }

  func count(before priority: TransferPriority, _ place: QueuePosition) throws -> Int {
    // Two questions, each of which is one part of the index.
    let line =
      "SELECT count(*) FROM transfer INDEXED BY \(TransferIndex.byLine.name) "
      + "WHERE \(StoreSchema.isInLine) AND"
    let higher = try StoreStatement(db, "\(line) priority > ?")
    defer { higher.reset() }
    higher.bind(priority.value, at: 1)
    let equal = try StoreStatement(
      db, "\(line) priority = ? AND (queue_position, id) < (?, ?)")
    defer { equal.reset() }
    equal.bind(priority.value, at: 1)
    equal.bind(place.position, at: 2)
    equal.bind(place.id.rawValue, at: 3)
    guard try higher.step(), try equal.step() else { return 0 }
    return Int(higher.number(0) + equal.number(0))
  }
}

/// A query for what ended since a time.
enum NewsQuestion {
  static func answer(since time: WallTime, _ db: Database) throws -> TransferNews {
    var news = TransferNews(since: time)
    try countCompleted(in: &news, db)
    news.failedCount = try failedCount(since: time, db)
    return news
  }

  /// Reads one row more than it counts: finish numbers are in the order of the ends.
  private static func countCompleted(in news: inout TransferNews, _ db: Database) throws {
    let rows = try StoreStatement(
      db,
      """
      SELECT finished_at, bytes_received FROM transfer INDEXED BY \(TransferIndex.byFinish.name)
      WHERE \(StoreSchema.isFinished) AND state = 'completed' ORDER BY finish_number DESC
      """)
    defer { rows.reset() }
    while try rows.step() {
      if rows.isNull(0) { continue }
      guard rows.number(0) >= news.since.millisecondsSince1970 else { return }
      news.addCompleted(byteCount: rows.number(1))
    }
  }

  /// Reads all failed transfers and all that are awake; usually there are few of both.
  private static func failedCount(since time: WallTime, _ db: Database) throws -> Int {
    let sources = [
      "\(TransferIndex.byState.name) WHERE \(StoreSchema.isAside)",
      "\(TransferIndex.awake.name) WHERE is_dormant = 0",
    ]
    return try sources.reduce(0) { sum, source in
      let rows = try StoreStatement(
        db,
        """
        SELECT count(*) FROM transfer INDEXED BY \(source)
        AND state = 'failed' AND finished_at >= ?
        """)
      defer { rows.reset() }
      rows.bind(time.millisecondsSince1970, at: 1)
      return try rows.step() ? sum + Int(rows.number(0)) : sum
    }
  }
}
