import KettleDashboard
import KettleModel

/// The rows that the service sends to a dashboard with many transfers, one time step after another.
struct SampleRows {
  static let transferCount = 100_000

  let visibleCount: Int
  let isBusy: Bool

  func window(step: Int64) -> ListWindow {
    let rows = (0..<Int64(visibleCount)).map { row($0, step: isBusy ? step : 0) }
    return ListWindow(first: 0, matchingCount: Self.transferCount, rows: rows)
  }

  func totals(step: Int64) -> Totals {
    var totals = Totals()
    totals.counts[.running] = isBusy ? 20 : 0
    totals.counts[.paused] = visibleCount
    totals.counts[.completed] = Self.transferCount - visibleCount
    totals.bytesPerSecond = isBusy ? 100_000_000 + step % 10 * 1_000_000 : 0
    totals.freeBytes = 182 << 30
    return totals
  }

  private func row(_ number: Int64, step: Int64) -> TransferSnapshot {
    let name = number % 5 == 0 ? "Überblick 文件 \(number).pdf" : "disk-image-\(number).iso"
    var row = TransferSnapshot(
      id: TransferID(rawValue: number), session: .kettle, taskIdentifier: number, title: name,
      url: "https://mirror.example.org/releases/26.04/\(name)",
      state: isBusy ? .running : .paused,
      createdAt: WallTime(millisecondsSince1970: 1_795_262_400_000))
    let received = number * 40_000_000 + step * (700_000 + number * 1000)
    row.bytesExpected = 4_700_000_000
    row.bytesReceived = received % 4_700_000_000
    // The speed differs in every update.
    row.bytesPerSecond = isBusy ? 7_000_000 + (step * 7919 + number) * 104_729 % 3_000_000 : 0
    row.secondsLeft = isBusy ? (4_700_000_000 - row.bytesReceived) / row.bytesPerSecond : nil
    row.connections = isBusy ? 4 : 0
    row.path = "/home/me/Downloads/\(name)"
    return row
  }
}
