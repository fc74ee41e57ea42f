import KettleModel

/// The transfer that ran, with more progress than its record. Never changed, because
/// the files are never regenerated.
enum ProgressFixture {
  static let durable: ByteRangeSet = {
    var durable = ByteRangeSet(prefix: 6_291_456)
    if let range = ByteRange(lower: 8_388_608, upper: 9_000_000) { durable.insert(range) }
    return durable
  }()

  static func record(holding durable: ByteRangeSet) -> TransferRecord {
    var record = StoreFixture.record(80, .paused)
    record.state = .queued
    record.resumeData?.durable = durable
    return record
  }
}
