import KettleModel

/// Shows on the terminal how much of a long list has been added, when nothing else is printed.
/// Printed ids are progress enough.
///
/// Without a terminal it writes nothing; standard error is for complaints.
struct AddProgress {
  /// A list that finishes sooner shows no progress.
  static let delayMilliseconds: Int64 = 1000
  static let redrawMilliseconds: Int64 = 100

  enum Step: Hashable {
    case read(Int)
    case added(Int, of: Int)
  }

  private let console: any Console
  private let isShown: Bool
  private var nextAt: MonotonicTime
  private var drawnColumns = 0

  init(on console: any Console, at now: MonotonicTime) {
    self.console = console
    isShown = console.isTerminal(.error) && !console.isTerminal(.output)
    nextAt = now.advanced(byMilliseconds: Self.delayMilliseconds)
  }

  mutating func show(_ step: Step, at now: MonotonicTime) {
    guard isShown, now >= nextAt else { return }
    nextAt = now.advanced(byMilliseconds: Self.redrawMilliseconds)
    // Keep the last column free: a terminal wraps when it is filled.
    let columns = max(1, (console.columnCount(of: .error) ?? 80) - 1)
    let line = ColumnText.clipped(Sentences.of(step), to: columns)
    write("\r" + ColumnText.left(line, min(drawnColumns, columns)))
    drawnColumns = ColumnText.width(of: line)
  }

  /// Erases the line to make room for other output.
  mutating func end() {
    guard drawnColumns > 0 else { return }
    write("\r" + String(repeating: " ", count: drawnColumns) + "\r")
    drawnColumns = 0
  }

  /// Ignores errors: progress is optional.
  private func write(_ text: String) { try? console.write(text, to: .error) }
}

extension Sentences {
  static func of(_ step: AddProgress.Step) -> String {
    switch step {
    case .read(let count): "\(count) URLs read"
    case .added(let count, let total): "\(count) of \(total) added"
    }
  }
}
