import KettleClient
import KettleControl
import KettleModel

/// The plain mode of `kettle`, for outputs that cannot or must not be drawn on: the list, then one
/// line per change. Nothing is redrawn, moved or coloured, so a screen reader or a log can follow
/// it.
struct PlainMode {
  let context: CommandContext
  private let text: PlainText

  init(context: CommandContext) {
    self.context = context
    text = PlainText(environment: context.environment)
  }

  func run() async throws -> ExitCode {
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
