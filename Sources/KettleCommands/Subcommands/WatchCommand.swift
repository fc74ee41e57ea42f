import ArgumentParser
import KettleControl
import KettleModel

/// `kettle watch`
struct WatchCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Print events, one per line, until Ctrl-C.",
    discussion: """
      With --json, each line is an object with event (added, stateChanged, progress or \
      removed), at, and transfer, which has the members of "kettle list --json". If events were \
      dropped, because the reader is too slow or the connection was lost, a line has the event \
      eventsDropped and no transfer.

      Examples:
        kettle watch
        kettle watch --json | jq -r 'select(.transfer.state == "completed").transfer.path'
      """)

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Also print progress, up to ten times per second for each transfer.")
  var progress = false

  func run(in context: CommandContext) async throws -> ExitCode {
    let follower = EventFollower(
      context: context, address: context.address, client: "kettle watch", includesProgress: progress
    )
    let line = EventLine(clock: context.clock)
    var hasConnected = false
    return try await follower.run { update in
      switch update {
      case .event(let event):
        try context.console.printLine(json ? event.json.text : line.text(of: event))
        return nil
      case .eventsDropped:
        try missing(Sentences.eventsDropped, in: context)
        return nil
      case .interrupted: return .interrupted
      case .connected:
        if hasConnected { try missing(Sentences.eventsMissed, in: context) }
        hasConnected = true
        return nil
      case .completed, .pollDue, .limitReached: return nil
      }
    }
  }

  /// Reports that events are missing at this point.
  private func missing(_ sentence: String, in context: CommandContext) throws {
    if json {
      let now = context.clock.now().wall.iso8601
      let line = JSONValue.object([
        .init("event", .string("eventsDropped")), .init("at", .string(now)),
      ])
      try context.console.printLine(line.text)
    }
    context.console.printNote(sentence)
  }
}
