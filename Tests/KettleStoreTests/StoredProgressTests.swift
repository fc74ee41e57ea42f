import GRDB
import KettleEngine
import KettleModel
import SeededNumbers
import Testing
import TestSupport

@testable import KettleStore

/// Checkpoints as rows.
struct StoredProgressTests {
  private let scratch: StoreScratch
  private let one = TransferID(rawValue: 1)

  init() throws { scratch = try StoreScratch() }

  private func durable(_ mebibytes: Int64) -> ByteRangeSet { ByteRangeSet(prefix: mebibytes << 20) }

  private func record(_ id: Int64, holding durable: ByteRangeSet) -> TransferRecord {
    var record = Sample.plain(id)
    record.resumeData = Sample.resumeData(id)
    record.resumeData?.durable = durable
    return record
  }

  /// The durable ranges of the transfers after a kill, by id.
  private func found(in scratch: StoreScratch) throws -> [TransferID: ByteRangeSet] {
    let copy = try scratch.killed()
    // The directory is deleted with it.
    defer { withExtendedLifetime(copy) {} }
    let journal = try copy.open().journal
    let records = try journal.whole().records
    try journal.close()
    return Dictionary(
      uniqueKeysWithValues: records.map { ($0.id, $0.resumeData?.durable ?? ByteRangeSet()) })
  }

  @Test func `a checkpoint is one row that is overwritten`() throws {
    let journal = try scratch.open().journal
    try journal.commit([.put(record(1, holding: durable(0)))])
    for step in Int64(1)...40 { try journal.commit([.progress(one, durable(step))]) }
    #expect(try found(in: scratch) == [one: durable(40)])
    #expect(try journal.whole().records.first?.resumeData?.durable == durable(40))
    #expect(try journal.records([one]).first?.resumeData?.durable == durable(40))
    let rowCount = try journal.queue.read { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM progress")
    }
    #expect(rowCount == 1)
  }

  @Test func `a checkpoint does not outlive the record that follows it`() throws {
    let journal = try scratch.open().journal
    try journal.commit([.put(record(1, holding: durable(0)))])
    for step in Int64(1)...9 { try journal.commit([.progress(one, durable(step))]) }
    // The file was created again.
    try journal.commit([.put(record(1, holding: durable(0)))])
    #expect(try found(in: scratch) == [one: durable(0)])
    try journal.commit([.progress(one, durable(3)), .put(record(2, holding: durable(0)))])
    #expect(try found(in: scratch)[one] == durable(3))
  }

  // MARK: Random order

  @Test func `records and checkpoints in any order survive a kill`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let journal = try scratch.open().journal
    var model: [TransferID: ByteRangeSet] = [:]
    for round in 0..<150 {
      let changes = (0..<(Int.random(in: 0...3, using: &random) == 0 ? 3 : 1)).map { _ in
        change(&model, &random)
      }
      try journal.commit(changes)
      guard round % 10 == 9 else { continue }
      #expect(try found(in: scratch) == model, "seed \(seed)")
    }
    try journal.close()
  }

  private func change(
    _ model: inout [TransferID: ByteRangeSet], _ random: inout SeededGenerator
  ) -> JournalChange {
    let id = TransferID(rawValue: .random(in: 1...4, using: &random))
    let durable = durable(.random(in: 0...50, using: &random))
    switch Int.random(in: 0...9, using: &random) {
    case 0:
      model[id] = nil
      return .remove(id)
    case 1...7 where model[id] != nil:
      model[id] = durable
      return .progress(id, durable)
    default:
      model[id] = durable
      return .put(record(id.rawValue, holding: durable))
    }
  }
}
