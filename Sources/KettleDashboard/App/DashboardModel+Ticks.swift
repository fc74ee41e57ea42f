import KettleModel

extension DashboardModel {
  /// The time until `ticked` is due next. nil when nothing on the screen changes with time alone,
  /// so that an idle dashboard costs nothing.
  package func millisecondsToNextTick(at now: Moment) -> Int64? {
    var next: Int64?
    func consider(_ milliseconds: Int64) {
      next = min(next ?? .max, max(milliseconds, 20))
    }
    if let notice { consider(notice.until.milliseconds(since: now.monotonic)) }
    if case .lost = link { consider(1000) }
    if link.isConnected, let left = openAddDialog?.duplicates.millisecondsLeft(at: now.monotonic) {
      consider(left)
    }
    if openDetails != nil || speeds.isMoving { consider(1000) }
    if isListOnTop {
      for row in visibleRows {
        if row.isMovingBar(link: link) { consider(MovingBar.stepMilliseconds) }
        if let left = row.countdownMilliseconds(at: now.wall) { consider(left) }
      }
    }
    return next
  }

  private var visibleRows: [TransferSnapshot] {
    (firstVisible..<(firstVisible + layout.bodyHeight)).compactMap { window?.row(at: $0) }
  }
}

extension TransferSnapshot {
  /// Whether the bar shows motion instead of progress.
  func isMovingBar(link: LinkState) -> Bool {
    state == .running && bytesExpected == nil && link.isConnected
  }

  /// The time until the countdown in this row shows another number; nil when the row shows none.
  func countdownMilliseconds(at now: WallTime) -> Int64? {
    guard state == .waiting, let goesOnAt else { return nil }
    let left = goesOnAt.milliseconds(after: now)
    return left <= 0 ? nil : left % 1000 + 1
  }
}

extension WallTime {
  /// Does not trap on overflow: dates from outside can be anything.
  func milliseconds(after other: WallTime) -> Int64 {
    let (difference, overflow) = millisecondsSince1970.subtractingReportingOverflow(
      other.millisecondsSince1970)
    if overflow { return millisecondsSince1970 < other.millisecondsSince1970 ? .min : .max }
    return difference
  }
}
