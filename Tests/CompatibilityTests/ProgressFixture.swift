import KettleModel

/// What `Fixtures/store-v5.sqlite` has beyond the transfers of the earlier ones: one that ran, and
/// was further than its record says; in `Fixtures/store-v6.sqlite` also further than its row.
/// Never changed, because the files are never made again.
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
