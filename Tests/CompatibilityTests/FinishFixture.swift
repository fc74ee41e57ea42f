import KettleModel

/// What the fixtures have besides `StoreFixture` and `TaskFixture`: finish numbers, a
/// queue position above all others, and the clearing. Never changed, because the files are never
/// regenerated.
enum FinishFixture {
  static let clearedUpTo: Int64 = 3

  /// One was cleared, one finished later, and one was moved to the top.
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
