import KettleClient
import KettleControl
import KettleModel

/// The plain mode of `kettle`, for outputs that cannot or must not be drawn on: the list, then one
/// line per change. Nothing is redrawn, moved or coloured, so a screen reader or a log can follow
/// it.
struct PlainMode {
  let world: CommandContext
  private let text: PlainText

  init(world: CommandContext) {
    self.world = world
    text = PlainText(environment: world.environment)
  }

  func run() async throws -> ExitCode {
    let follower = EventFollower(
      world: world, place: world.place, client: caller, includesProgress: true)
    var lines = PlainLines(clock: world.clock)
    var hasListed = false
    return try await follower.run { happening in
      switch happening {
      case .connected(let service):
        guard !hasListed else {
          world.console.mention(Sentences.eventsMissed)
          return nil
        }
        hasListed = true
        try await printList(service, &lines)
        return nil
      case .event(let event):
        let line = lines.take(event, at: world.clock.now().monotonic)
        if let line { try world.console.say(text.shown(line)) }
        return nil
      case .eventsDropped:
        world.console.mention(Sentences.eventsDropped)
        return nil
      case .interrupted: return .interrupted
      case .completed, .lookDue, .limitReached: return nil
      }
    }
  }

  /// A terminal has a reader now; a file may be read later.
  private var caller: Caller {
    Caller("kettle", isWatchedByPerson: world.console.isTerminal(.output))
  }

  private func printList(_ service: any ServiceCalling, _ lines: inout PlainLines) async throws {
    let table = TransferTable(columnCount: world.console.columnCount(of: .output))
    let now = world.clock.now().monotonic
    var isEmpty = true
    try await ListReader(service: service).forEachPage { page in
      if isEmpty, !page.isEmpty { try world.console.write(text.shown(table.header), to: .output) }
      isEmpty = isEmpty && page.isEmpty
      for row in page { lines.note(row, at: now) }
      try world.console.write(text.shown(page.map { table.text(of: $0) }.joined()), to: .output)
    }
    if isEmpty { world.console.mention(Sentences.listEmpty) }
  }
}
