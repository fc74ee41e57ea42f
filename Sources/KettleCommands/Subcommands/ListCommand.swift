import ArgumentParser
import KettleClient
import KettleControl
import KettleModel

/// `kettle list`
struct ListCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show the transfers.",
    discussion: """
      On a terminal, lines are cut to its width; in a pipe they are complete. Programs should \
      use --json: an array of objects with id, session, taskIdentifier, title, url, state, \
      reason, path, bytesReceived, bytesExpected, bytesPerSecond, secondsLeft, connections, \
      createdAt, error, heldBackBy (why it does not move, or not as fast as it could), \
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

  @Option(help: ArgumentHelp("Only transfers of this session.", valueName: "id"))
  var session: String?

  func run(in context: CommandContext) async throws -> ExitCode {
    let filter = RowFilter(
      states: states.isEmpty ? nil : states, session: session.map { SessionID(rawValue: $0) })
    return try await context.withService(for: "kettle list") { service in
      let rows = ListReader(service: service, filter: filter)
      if json {
        try await printJSON(rows, to: context.console)
      } else {
        try await Self.printTable(rows, to: context.console, clock: context.clock)
      }
      return .done
    }
  }

  private func printJSON(_ rows: ListReader, to console: any Console) async throws {
    var printer = try JSONArrayPrinter(on: console)
    try await rows.forEachPage { page in try printer.print(page.map(\.json)) }
    try printer.end()
  }

  static func printTable(
    _ rows: ListReader, to console: any Console, clock: any CommandClock
  ) async throws {
    let table = TransferTable(columnCount: console.columnCount(of: .output), clock: clock)
    var isEmpty = true
    let totals = try await rows.forEachPage { page in
      if isEmpty, !page.isEmpty { try console.write(table.header, to: .output) }
      isEmpty = isEmpty && page.isEmpty
      try console.write(page.map { table.text(of: $0) }.joined(), to: .output)
    }
    if isEmpty {
      console.printNote(Sentences.listEmpty)
    } else if let readiness = Sentences.readiness(of: totals, clock) {
      try console.printLine(readiness)
    }
  }
}
