import GRDB
import KettleModel

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
