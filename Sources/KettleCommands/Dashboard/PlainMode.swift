import KettleControl
import KettleDashboard
import KettleModel
import KettleSocket

/// The plain mode of `kettle`, for outputs that cannot or must not be drawn on: the list, then one
/// line per change. Nothing is redrawn, moved or colored, so a screen reader or a log can follow
/// it.
struct PlainMode {
  let context: CommandContext
  private let text: PlainText

  init(context: CommandContext) {
    self.context = context
    text = PlainText(environment: context.environment)
  }

  func run() async throws -> ExitCode {
    guard context.machines.isEmpty else {
      throw UsageError(.command(.severalHosts(command: "--plain")))
    }
    let follower = EventFollower(
      context: context, address: context.address, client: identity, includesProgress: true)
    var lines = PlainLines(clock: context.clock)
    var hasListed = false
    return try await follower.run { update in
      switch update {
      case .connected(let service):
        guard !hasListed else {
          context.console.printNote(Sentences.eventsMissed)
          return nil
        }
        hasListed = true
        try await printList(from: service, &lines)
        return nil
      case .event(let event):
        let line = lines.line(for: event, at: context.clock.now().monotonic)
        if let line { try context.console.printLine(text.shown(line)) }
        return nil
      case .eventsDropped:
        context.console.printNote(Sentences.eventsDropped)
        return nil
      case .interrupted: return .interrupted
      case .completed, .pollDue, .limitReached: return nil
      }
    }
  }

  /// A terminal has a reader now; a file may be read later.
  private var identity: ClientIdentity {
    ClientIdentity("kettle", isWatchedByPerson: context.console.isTerminal(.output))
  }

  private func printList(from service: any ServiceCalling, _ lines: inout PlainLines) async throws {
    let table = TransferTable(
      columnCount: context.console.columnCount(of: .output), clock: context.clock)
    let now = context.clock.now().monotonic
    var isEmpty = true
    try await ListReader(service: service).forEachPage { page in
      if isEmpty, !page.isEmpty { try context.console.write(text.shown(table.header), to: .output) }
      isEmpty = isEmpty && page.isEmpty
      for row in page { lines.recordShown(row, at: now) }
      try context.console.write(text.shown(page.map { table.text(of: $0) }.joined()), to: .output)
    }
    if isEmpty { context.console.printNote(Sentences.listEmpty) }
  }
}

/// Decides which events produce a line: every change, and only as much progress as can be listened
/// to.
struct PlainLines {
  /// The minimum time between two progress lines of one transfer.
  static let intervalMilliseconds: Int64 = 10_000
  /// A slow transfer still reports at this interval.
  static let longIntervalMilliseconds: Int64 = 60_000
  static let percentStep: Int64 = 10

  private struct ShownProgress {
    var at: MonotonicTime
    var step: Int64
  }

  private let format: EventLine
  /// The running transfers.
  private var shown: [TransferID: ShownProgress] = [:]

  init(clock: any CommandClock) { format = EventLine(clock: clock) }

  /// Returns the line for an event, or nil when it is not worth one.
  mutating func line(for event: TransferEvent, at now: MonotonicTime) -> String? {
    switch event.kind {
    case .added, .stateChanged: recordShown(event.snapshot, at: now)
    case .removed: shown[event.id] = nil
    case .progress:
      guard isWorthShowing(event.snapshot, at: now) else { return nil }
      recordShown(event.snapshot, at: now)
    }
    return format.text(of: event)
  }

  /// Records that the transfer was shown.
  mutating func recordShown(_ row: TransferSnapshot, at now: MonotonicTime) {
    shown[row.id] = row.state == .running ? ShownProgress(at: now, step: Self.step(row)) : nil
  }

  private func isWorthShowing(_ row: TransferSnapshot, at now: MonotonicTime) -> Bool {
    guard row.state == .running else { return false }
    guard let last = shown[row.id] else { return true }
    let passed = now.milliseconds(since: last.at)
    let isFurther = Self.step(row) > last.step
    return passed >= Self.longIntervalMilliseconds
      || (passed >= Self.intervalMilliseconds && isFurther)
  }

  private static func step(_ row: TransferSnapshot) -> Int64 {
    guard let all = row.bytesExpected, all > 0 else { return 0 }
    return Int64(PercentageText.fraction(row.bytesReceived, of: all) * 100) / percentStep
  }
}

/// Text for an output of which only the locale is known.
struct PlainText {
  private let charset: Charset

  init(environment: [String: String]) { charset = Charset(environment: environment) }

  /// Returns the text with characters outside the locale's charset replaced.
  func shown(_ text: String) -> String {
    switch charset {
    case .utf8, .console: return text
    case .ascii:
      return text.unicodeScalars.reduce(into: "") { result, scalar in
        if scalar.isASCII {
          result.unicodeScalars.append(scalar)
        } else {
          result += scalar == "…" ? "..." : "?"
        }
      }
    }
  }
}
