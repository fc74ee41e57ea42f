/// The overall progress of the transfers under way, shown in the terminal's tab or in the desktop's
/// taskbar.
package enum BatchGauge: Hashable, Sendable {
  /// 0 to 99: a complete transfer is no longer under way.
  case percent(Int)
  /// Transfers are under way, but their total size is unknown.
  case unknown

  /// Returns nil when no transfer is under way.
  package init?(_ batch: BatchProgress?) {
    guard let batch else { return nil }
    guard batch.bytesExpected > 0, batch.bytesReceived >= 0 else {
      self = .unknown
      return
    }
    let fraction = Double(batch.bytesReceived) / Double(batch.bytesExpected)
    self = .percent(Int(min(99, fraction * 100)))
  }

  /// Returns the control sequence that shows a gauge, or removes it for nil: OSC 9;4 of ConEmu.
  package static func sequence(_ gauge: BatchGauge?) -> String {
    let words =
      switch gauge {
      case nil: "0"
      case .percent(let percent): "1;\(percent)"
      case .unknown: "3"
      }
    return "\u{1B}]9;4;" + words + "\u{1B}\\"
  }
}
