import KettleDashboard
import KettleModel

/// Shows on the terminal how far a command is, in one line that is redrawn.
///
/// Without a terminal it writes nothing, because standard error is for errors then.
struct CommandProgress {
  /// A list that finishes sooner shows no progress.
  static let delayMilliseconds: Int64 = 1000
  static let redrawMilliseconds: Int64 = 100

  enum Step: Hashable {
    case read(Int)
    case added(Int, of: Int)
    /// Bytes of a file that is compared; nil for a size that is not known.
    case compared(Int64, of: Int64?, name: String)
    /// Bytes of a finished file that the service compares.
    case comparing(TransferID, upTo: Int64, number: Int, of: Int)
    case repairing(TransferID, by: TransferID)
    /// The list of a collection is read.
    case listing(name: String)
    case syncing(TransferID)
  }

  private let console: any Console
  private let isShown: Bool
  private var nextAt: MonotonicTime
  private var drawnColumns = 0

  /// - Parameter endsBeforeOutput: whether `end` precedes each line on standard output, which may
  ///   then be the same terminal.
  init(on console: any Console, at now: MonotonicTime, endsBeforeOutput: Bool = false) {
    self.console = console
    isShown = console.isTerminal(.error) && (endsBeforeOutput || !console.isTerminal(.output))
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
  static func of(_ step: CommandProgress.Step) -> String {
    switch step {
    case .read(let count): "\(count) URLs read"
    case .added(let count, let total): "\(count) of \(total) added"
    case .compared(let count, let total, let name):
      "Comparing \(total.map { ByteText.progress(min(count, $0), of: $0) } ?? ByteText.size(count))"
        + "  \(name.sanitizedForDisplay(limit: 200))"
    case .comparing(let id, let count, let number, let total):
      "Comparing \(id): \(ByteText.size(count))"
        + (total > 1 ? " (file \(number) of \(total))" : "")
    case .repairing(let id, let repair):
      "Repairing \(id): transfer \(repair) fetches the damaged bytes"
    case .listing(let name): "Reading the list of \(name.sanitizedForDisplay(limit: 200))"
    case .syncing(let id): "Bringing collection \(id) up to date"
    }
  }
}
