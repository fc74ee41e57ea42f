import ArgumentParser
import KettleClient
import KettleControl
import KettleModel

/// `kettle list`
struct ListCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show the transfers.",
    usage: """
      kettle list [--json] [--state <state> ...] [--session <id>]
                  [--queue <name>]
      """,
    discussion: """
      On a terminal, names are shortened and columns left out to fit its width, with colors \
      unless NO_COLOR is set; in a pipe lines are complete and plain. Programs should \
      use --json: an array of objects with id, session, taskIdentifier, title, url, state, \
      reason, path, bytesReceived, bytesExpected, bytesPerSecond, secondsLeft, connections, \
      createdAt, error, queue, heldBackBy (why it does not move, or not as fast as it could), \
      heldBackDetails, until (when that is over) and readyAt. Unknown values are null.

      READY is when a transfer is expected to be complete, and the last line when all are.

      Examples:
        kettle list
        kettle list --state failed --state waiting
        kettle list --json | jq -r '.[] | select(.state == "completed") | .path'
      """)

  @Flag(help: "Print JSON.")
  var json = false

  @Option(
    name: .customLong("state"),
    help: ArgumentHelp("Only transfers in this state; can be repeated.", valueName: "state"))
  var states: [TransferState] = []

  @Option(
    help: ArgumentHelp("Only transfers of this session.", valueName: "id"),
    completion: .asking(.sessions))
  var session: String?

  @Option(
    help: ArgumentHelp("Only transfers of this queue.", valueName: "name"),
    completion: .asking(.queues))
  var queue: String?

  func run(in context: CommandContext) async throws -> ExitCode {
    let filter = RowFilter(
      states: states.isEmpty ? nil : states, session: session.map { SessionID(rawValue: $0) },
      queue: try queue.map { try QueueName(argument: $0) })
    return try await context.withService(for: "kettle list") { service in
      let rows = ListReader(service: service, filter: filter)
      if json {
        try await printJSON(rows, to: context.console)
      } else {
        try await printTable(rows, in: context)
      }
      return .done
    }
  }

  private func printJSON(_ rows: ListReader, to console: any Console) async throws {
    var printer = try JSONArrayPrinter(on: console)
    try await rows.forEachPage { page in try printer.print(page.map(\.json)) }
    try printer.end()
  }

  private func printTable(_ rows: ListReader, in context: CommandContext) async throws {
    let console = context.console
    var table: (any ListTable)?
    let totals = try await rows.forEachPage { page in
      let current = table ?? Self.table(of: page, in: context)
      if table == nil { try console.write(current.header, to: .output) }
      table = current
      try console.write(page.map { current.text(of: $0) }.joined(), to: .output)
    }
    if table == nil {
      console.printNote(Sentences.listEmpty)
    } else if let readiness = Sentences.readiness(of: totals, context.clock) {
      try console.printLine(readiness)
    }
  }

  /// - Parameter rows: The first rows of the list.
  private static func table(
    of rows: [TransferSnapshot], in context: CommandContext
  ) -> any ListTable {
    guard let columnCount = context.console.columnCount(of: .output) else {
      return TransferTable(columnCount: nil, clock: context.clock)
    }
    let now = context.clock.now()
    return TerminalTable(
      of: rows, columnCount: columnCount, look: context.look(of: .output),
      clock: context.clock.text(at: now.wall), now: now)
  }
}
