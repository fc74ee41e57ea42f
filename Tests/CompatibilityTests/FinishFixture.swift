import KettleModel

/// What `Fixtures/store-v3.sqlite` has beyond the transfers of `StoreFixture` and `TaskFixture`:
/// finish numbers, a place above all others, and what was cleared. Never changed, because the file
/// is never made again.
enum FinishFixture {
  static let clearedUpTo: Int64 = 3

  /// One that was cleared, one that was finished later, one that was moved to the top.
  static let records: [TransferRecord] = {
    var cleared = StoreFixture.record(70, .completed)
    cleared.finishNumber = clearedUpTo
    var later = StoreFixture.record(71, .completed)
    later.finishNumber = 9
    var moved = StoreFixture.record(72, .paused)
    moved.queuePosition = -2
    return [cleared, later, moved]
  }()
}
