import ArgumentParser
import KettleControl
import KettleDashboard
import KettleModel
import KettleSocket

/// `kettle list`
struct ListCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show the transfers.",
    usage: """
      kettle list [--json] [--state <state> ...] [--session <id>]
                  [--queue <name>] [--collection <id>] [--match <words>]
      """,
    discussion: """
      On a terminal, names are shortened and columns left out to fit its width, with colors \
      unless NO_COLOR is set; in a pipe lines are complete and plain. Programs should \
      use --json: an array of objects with id, session, taskIdentifier, title, url, state, \
      reason, path, bytesReceived, bytesExpected, bytesPerSecond, secondsLeft, connections, \
      createdAt, error, queue, heldBackBy (why it does not move, or not as fast as it could), \
      heldBackDetails, until (when that is over) and readyAt. Unknown values are null.

      LEFT is how long a transfer should still take, and the last line says when all are done. \
      What is "done" in this list is "completed" in JSON.

      Examples:
        kettle list
        kettle list --state failed --state waiting
        kettle list --match "^debian iso$ !netinst"
        kettle list --json | jq -r '.[] | select(.state == "completed") | .path'
      """)

  static var worksOnFleet: Bool { true }
  static var worksOnMachines: Bool { true }

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

  @Option(
    help: ArgumentHelp(
      "The files of this collection, which the list leaves out otherwise.", valueName: "id"),
    completion: .asking(.transfers))
  var collection: TransferID?

  @Option(
    help: ArgumentHelp(
      "Only transfers with these words in the title, URL or path: 'whole, ^begin, end$, !not.",
      valueName: "words"))
  var match: String?

  func run(in context: CommandContext) async throws -> ExitCode {
    let filter = RowFilter(
      states: states.isEmpty ? nil : states, session: session.map { SessionID(rawValue: $0) },
      queue: try queue.map { try QueueName(argument: $0) }, text: match,
      membership: collection.map { .of($0) } ?? .none)
    guard context.machines.isEmpty else { return try await list(filter, ofMachinesIn: context) }
    return try await context.withService(for: "kettle list") { service in
      try await list([ListReader(service: service, filter: filter)], in: context)
      return .done
    }
  }

  /// Lists the transfers of one machine after the other, with the ids that each of them uses. One
  /// that cannot be reached does not keep the others from being listed.
  private func list(_ filter: RowFilter, ofMachinesIn context: CommandContext) async throws
    -> ExitCode
  {
    if collection != nil { throw UsageError(.command(.severalHosts(command: "list --collection"))) }
    var lists: [ListReader] = []
    var code = ExitCode.done
    for (machine, name) in zip(context.machines, MachineName.shown(context.machines)) {
      do {
        let service = try await context.services.connect(
          to: context.address.of(machine), client: "kettle list", startIfNeeded: true)
        lists.append(ListReader(service: service, filter: filter, machine: name))
      } catch {
        let report = Sentences.report(of: error)
        for sentence in report.sentences { context.console.printError(sentence) }
        code = report.code
      }
    }
    if !lists.isEmpty { try await list(lists, in: context) }
    for list in lists { await list.service.close() }
    return code
  }

  private func list(_ lists: [ListReader], in context: CommandContext) async throws {
    if json {
      try await printJSON(lists, to: context.console)
    } else {
      try await printTable(lists, in: context)
    }
  }

  private func printJSON(_ lists: [ListReader], to console: any Console) async throws {
    var printer = try JSONArrayPrinter(on: console)
    for list in lists { try await list.forEachPage { try printer.print($0.map(\.json)) } }
    try printer.end()
  }

  private func printTable(_ lists: [ListReader], in context: CommandContext) async throws {
    let console = context.console
    var table: (any ListTable)?
    var parts: [Totals] = []
    for list in lists {
      let part = try await list.forEachPage { page in
        let current = table ?? Self.table(of: page, among: lists, in: context)
        if table == nil { try console.write(current.header, to: .output) }
        table = current
        try console.write(page.map { current.text(of: $0) }.joined(), to: .output)
      }
      parts.append(part)
    }
    let totals = parts.count == 1 ? parts[0] : .sum(of: parts)
    if table == nil {
      console.printNote(Sentences.listEmpty)
    } else if let readiness = Sentences.readiness(of: totals, context.clock) {
      try console.printLine(readiness)
    }
  }

  /// - Parameter rows: The first rows of the list.
  private static func table(
    of rows: [TransferSnapshot], among lists: [ListReader], in context: CommandContext
  ) -> any ListTable {
    let machines = lists.compactMap(\.machine)
    guard let columnCount = context.console.columnCount(of: .output) else {
      return TransferTable(
        columnCount: nil, clock: context.clock, hasMachines: !machines.isEmpty)
    }
    let now = context.clock.now()
    // The column has room for the names of all machines.
    let others = zip(rows, machines).map { row, machine in
      var row = row
      row.machine = machine
      return row
    }
    return TerminalTable(
      of: rows + others, columnCount: columnCount, look: context.look(of: .output),
      clock: context.clock.text(at: now.wall), now: now)
  }
}

/// `kettle why`
struct WhyCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Say why a transfer does not move, and until when.",
    discussion: """
      Prints what holds the transfer back, since when, until when, when it should be done, \
      how its hooks ended, and what you can do. Times are estimates where they depend on other \
      transfers.

      Examples:
        kettle why 3
        kettle why 3 --json | jq -r '.heldBackBy, .until'
      """)

  static var worksOnFleet: Bool { true }

  @Argument(
    help: ArgumentHelp("The id of a transfer, as shown by \"kettle list\".", valueName: "id"),
    completion: .asking(.transfers))
  var id: TransferID

  @Flag(help: "Print the transfer as \"kettle list --json\" prints one.")
  var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    try await context.withService(for: "kettle why") { service in
      let details: TransferDetails
      do {
        details = try await service.call(DescribeTransfer.self, .init(id: id))
      } catch let error as ControlError where error.code == .unknownTransfer {
        throw UnknownTransfers(ids: [id])
      }
      if json {
        try context.console.printLine(details.snapshot.json.text)
      } else {
        let lines = shown(
          Sentences.why(
            details.snapshot, rule: details.rule, hooks: details.hooks, clock: context.clock),
          of: details.snapshot, in: context)
        try context.console.write(lines.map { $0 + "\n" }.joined(), to: .output)
      }
      return .done
    }
  }
}

extension WhyCommand {
  private func shown(
    _ sentences: [String], of row: TransferSnapshot, in context: CommandContext
  ) -> [String] {
    guard let columnCount = context.console.columnCount(of: .output) else { return sentences }
    let text = WhyText(
      columnCount: columnCount, look: context.look(of: .output), now: context.clock.now())
    return text.lines(sentences, of: row)
  }
}

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

  static var worksOnFleet: Bool { true }

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

/// What `why` prints on a terminal: the sentences, with the symbol of the state before them and the
/// progress below the first one.
struct WhyText {
  private static let barColumnsMax = 24

  let columnCount: Int
  let look: Look
  let now: Moment

  func lines(_ sentences: [String], of row: TransferSnapshot) -> [String] {
    var lines = sentences
    if let first = lines.first { lines[0] = symbol(of: row) + first }
    if let progress = progress(of: row) { lines.insert(progress, at: min(1, lines.count)) }
    return lines
  }

  private func symbol(of row: TransferSnapshot) -> String {
    switch look.charset {
    case .utf8, .console: look.painted(look.glyphs.symbol(row.state), row.stateRole) + " "
    case .ascii: ""
    }
  }

  /// nil where there is nothing to see: before the first byte, after the last one, and while the
  /// size is unknown.
  private func progress(of row: TransferSnapshot) -> String? {
    guard !row.isWhole, row.bytesReceived > 0, let total = row.bytesExpected, total > 0 else {
      return nil
    }
    var line = Canvas(lineColumns: columnCount, look: look)
    let width = min(Self.barColumnsMax, columnCount / 3)
    line.draw(
      ProgressBar(row, at: now, isLive: true), of: row, column: 0, width: width)
    line.write(row.progressWords, row: 0, column: width + 1, width: columnCount)
    return line.line
  }
}
