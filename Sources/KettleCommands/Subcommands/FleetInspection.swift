import ArgumentParser
import KettleControl
import KettleDashboard
import KettleModel

/// `kettle fleet hosts`
struct FleetHostsCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hosts", abstract: "List the machines of the fleet.",
    discussion: """
      Programs should use --json: an array of objects with name, labels, version, take, isAlive, \
      leaseMilliseconds (negative since it has ended), isDraining, claimedCount, completedCount, \
      shareCount, bytesPerSecond and freeBytes.
      """)

  @Flag(help: "Print JSON.") var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    let hosts = try await FleetCommand.send(.hosts, in: context).hosts ?? []
    if json {
      try FleetCommand.print(hosts.map(\.json), in: context)
    } else if hosts.isEmpty {
      context.console.printNote(Sentences.noMachines)
    } else {
      for host in hosts { try context.console.printLine(Sentences.of(host)) }
    }
    return .done
  }
}

/// `kettle fleet origin`
struct FleetOriginCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "origin", abstract: "Show or set how many machines may use an origin at once.",
    discussion: """
      One machine at a time makes requests to an origin, unless it has more shares. Without an \
      argument, all origins of the queue are listed. Programs should use --json: an array of \
      objects with origin, shares, connections, queuedCount, machines and opensInMilliseconds.

      Examples:
        kettle fleet origin
        kettle fleet origin files.example.org
        kettle fleet origin https://files.example.org --shares 4 --connections 8
      """)

  @Argument(help: ArgumentHelp("A host, or a URL of the origin.", valueName: "host"))
  var origin: String?

  @Option(help: ArgumentHelp("How many machines may use it at once.", valueName: "n"))
  var shares: Int?

  @Option(help: ArgumentHelp("Connections of all of them together.", valueName: "n"))
  var connections: Int?

  @Flag(help: "Print JSON.") var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    let wanted = try origin.map { text throws(UsageError) in try Self.origin(text) }
    guard shares != nil || connections != nil else { return try await show(wanted, in: context) }
    guard let wanted else { throw UsageError(.fleet(.noOrigin)) }
    guard (1...FleetRequest.sharesMax).contains(shares ?? 1) else {
      throw UsageError(.fleet(.number(option: "--shares", 1...FleetRequest.sharesMax)))
    }
    guard (1...10_000).contains(connections ?? 1) else {
      throw UsageError(.fleet(.number(option: "--connections", 1...10_000)))
    }
    _ = try await FleetCommand.send(
      .setOrigin(origin: wanted, shares: shares, connections: connections), in: context)
    return try await show(wanted, in: context)
  }

  private func show(_ wanted: String?, in context: CommandContext) async throws -> ExitCode {
    let all = try await FleetCommand.send(.origins, in: context).origins ?? []
    let origins = all.filter { wanted == nil || $0.origin == wanted }
    if json {
      try FleetCommand.print(origins.map(\.json), in: context)
    } else if origins.isEmpty {
      context.console.printNote(wanted.map(Sentences.noOrigin) ?? Sentences.noOrigins)
    } else {
      for origin in origins { try context.console.printLine(Sentences.of(origin)) }
    }
    return wanted != nil && origins.isEmpty ? .refused : .done
  }

  /// A host alone stands for its origin with https.
  private static func origin(_ text: String) throws(UsageError) -> String {
    let url = text.contains("://") ? text : "https://" + text
    switch TransferURL.parse(url) {
    case .success(let parsed): return parsed.url.origin.text
    case .failure(let why): throw UsageError(.url(text, why))
    }
  }
}

/// `kettle fleet doctor`
struct FleetDoctorCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Look for what slows the fleet's database or makes it unsafe.",
    discussion: """
      Also asks each object store among the roots of this machine to create an object that is there, \
      named .kettle-create-only, which it must refuse. Exits with 1 if something is wrong. Programs should use --json: an object with what was \
      measured and problems, an array of sentences.
      """)

  @Flag(help: "Print JSON.") var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    guard let health = try await FleetCommand.send(.doctor, in: context).health else {
      throw ControlError(.internalError, ManageFleet.name)
    }
    let now = context.clock.now().wall
    let problems = Sentences.problems(of: health, now: now)
    if json {
      try context.console.printLine(health.json(problems).text)
    } else {
      for line in Sentences.measured(health, now: now) { try context.console.printLine(line) }
      for problem in problems { context.console.printError(problem) }
    }
    return problems.isEmpty ? .done : .transferFailed
  }
}

extension FleetCommand {
  fileprivate static func print(_ objects: [JSONValue], in context: CommandContext) throws {
    var printer = try JSONArrayPrinter(on: context.console)
    try printer.print(objects)
    try printer.end()
  }
}

// MARK: - JSON, always with all members

extension FleetStanding {
  var json: JSONValue {
    .object([
      .init("database", .string(settings.database)), .init("name", .string(settings.name)),
      .init("labels", .array(settings.labels.map { .string($0) })),
      .init("take", .integer(Int64(settings.take))),
      .init("roots", .array(settings.roots.map { .string($0) })),
      .init("shareAddress", .string(orNull: settings.shareAddress)),
      .init("claimedCount", .integer(Int64(claimedCount))),
      .init("isDraining", .bool(isDraining)), .init("problem", .string(orNull: problem)),
      .init("silentSince", .string(orNull: silentSince?.iso8601)),
    ])
  }
}

extension FleetHostRow {
  fileprivate var json: JSONValue {
    .object([
      .init("name", .string(name)), .init("labels", .array(labels.map { .string($0) })),
      .init("version", .string(version)), .init("take", .integer(Int64(take))),
      .init("isAlive", .bool(!isLost)), .init("leaseMilliseconds", .integer(aliveForMilliseconds)),
      .init("isDraining", .bool(isDraining)), .init("claimedCount", .integer(Int64(claimedCount))),
      .init("completedCount", .integer(Int64(completedCount))),
      .init("shareCount", .integer(Int64(shareCount))),
      .init("bytesPerSecond", .integer(bytesPerSecond)),
      .init("freeBytes", .integer(orNull: freeBytes)),
    ])
  }
}

extension FleetOriginRow {
  fileprivate var json: JSONValue {
    .object([
      .init("origin", .string(origin)), .init("shares", .integer(Int64(shares))),
      .init("connections", .integer(orNull: connections.map(Int64.init))),
      .init("queuedCount", .integer(Int64(queuedCount))),
      .init("machines", .array(machines.map { .string($0) })),
      .init("opensInMilliseconds", .integer(orNull: opensInMilliseconds)),
    ])
  }
}

extension FleetHealth {
  fileprivate func json(_ problems: [String]) -> JSONValue {
    .object([
      .init("schemaVersion", .integer(Int64(schemaVersion))),
      .init("serverVersion", .string(serverVersion)), .init("now", .string(now.iso8601)),
      .init("oldestSnapshotSeconds", .integer(oldestSnapshotSeconds)),
      .init("oldestSnapshotHolder", .string(orNull: oldestSnapshotHolder)),
      .init("deadRowCount", .integer(deadRowCount)), .init("liveRowCount", .integer(liveRowCount)),
      .init("connectionCount", .integer(Int64(connectionCount))),
      .init("connectionMax", .integer(Int64(connectionMax))),
      .init("orphanedCount", .integer(Int64(orphanedCount))), .init("isReplica", .bool(isReplica)),
      .init("commitsAreDurable", .bool(commitsAreDurable)),
      .init("hosts", .array(hosts.map(\.json))),
      .init("destinations", .array((destinations ?? []).map(\.json))),
      .init("problems", .array(problems.map { .string($0) })),
    ])
  }
}

extension FleetDestination {
  fileprivate var json: JSONValue {
    let createsOnly: JSONValue =
      switch standing {
      case .createsOnly: .bool(true)
      case .replaces: .bool(false)
      case .failed: .null
      }
    return .object([.init("root", .string(root)), .init("createsOnly", createsOnly)])
  }
}
