import KettleModel

/// The overall progress of all transfers under way, shown outside the dashboard: in the terminal's
/// tab or in the desktop's taskbar.
package enum BatchGauge: Hashable, Sendable {
  /// 0 to 99: a complete transfer is no longer under way.
  case percent(Int)
  /// Transfers are under way, but their total size is unknown.
  case unknown

  /// Returns nil when no transfer is under way.
  package init?(_ totals: Totals) {
    guard let batch = totals.batch else { return nil }
    guard batch.bytesExpected > 0, batch.bytesReceived >= 0 else {
      self = .unknown
      return
    }
    let fraction = PercentageText.fraction(batch.bytesReceived, of: batch.bytesExpected)
    self = .percent(min(99, Int(fraction * 100)))
  }
}
