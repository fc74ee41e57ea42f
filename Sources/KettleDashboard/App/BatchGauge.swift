import KettleModel

/// How far everything under way is, for those who look from outside: the tab of a terminal, the
/// taskbar of a desktop.
package enum BatchGauge: Hashable, Sendable {
  /// 0 to 99: what is whole is no longer under way.
  case percent(Int)
  /// Something goes on, and nobody knows how much there is.
  case unknown

  /// nil when nothing is under way.
  package init?(_ totals: Totals) {
    guard let batch = totals.batch else { return nil }
    guard batch.bytesExpected > 0, batch.bytesReceived >= 0 else {
      self = .unknown
      return
    }
    let fraction = PercentText.fraction(batch.bytesReceived, of: batch.bytesExpected)
    self = .percent(min(99, Int(fraction * 100)))
  }
}

extension DashboardModel {
  /// nil while nothing is under way, or while nobody knows.
  package var gauge: BatchGauge? { link.isConnected ? BatchGauge(totals) : nil }
}
