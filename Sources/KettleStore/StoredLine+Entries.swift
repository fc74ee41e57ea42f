import GRDB
import KettleModel
import KettleScheduler

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
