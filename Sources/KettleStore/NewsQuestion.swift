import GRDB
import KettleModel

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
