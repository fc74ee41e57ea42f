import ArgumentParser
import KettleControl
import KettleModel
import KettleSocket

/// `kettle fleet`
struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Share one queue between several machines.",
    discussion: """
      A fleet is a queue in a PostgreSQL database, on which the services of several machines work. \
      Add to it with "kettle add --fleet"; "kettle --fleet" shows it.

      DATABASE is a connection URI or string of PostgreSQL without a password. The password comes \
      from ~/.pgpass, from the file that PGPASSFILE names, or from a service file.

      Examples:
        kettle fleet init postgres://db.example/downloads
        kettle fleet join postgres://db.example/downloads --labels nas,eu --root /srv/files
        kettle fleet hosts
        kettle fleet origin files.example.org --shares 2
        kettle fleet limit 200M
        kettle fleet leave --drain
      """,
    subcommands: [
      FleetInitCommand.self, FleetJoinCommand.self, FleetLeaveCommand.self,
      FleetStatusCommand.self, FleetHostsCommand.self, FleetOriginCommand.self,
      FleetLimitCommand.self, FleetDrainCommand.self, FleetUndrainCommand.self,
      FleetDoctorCommand.self,
    ])

  /// Sends a request about the fleet.
  static func send(
    _ request: FleetRequest, in context: CommandContext
  ) async throws -> ManageFleet.Result {
    try await context.withService(for: "kettle fleet") { service in
      try await service.call(ManageFleet.self, request)
    }
  }

  static func checkDatabase(_ text: String) throws(UsageError) {
    if FleetDatabase(text).hasPassword { throw UsageError(.fleet(.password)) }
  }
}

/// `kettle fleet init`
struct FleetInitCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Make the tables of a new fleet.",
    discussion: "Nothing changes if they are there.")

  @Argument(help: ArgumentHelp("The database, without a password.", valueName: "database"))
  var database: String

  func run(in context: CommandContext) async throws -> ExitCode {
    try FleetCommand.checkDatabase(database)
    _ = try await FleetCommand.send(.initialize(database: database), in: context)
    try context.console.printLine(Sentences.fleetIsReady(FleetDatabase(database)))
    return .done
  }
}

/// `kettle fleet join`
struct FleetJoinCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join", abstract: "Let this machine work on a fleet's queue.",
    discussion: """
      Files of the fleet go only below the roots of this machine, whatever the queue says. The \
      first root gets the files that name no directory. Join again to change an option; labels, \
      roots, --take and --share are then those of the new command line.

      With --share, this machine serves its files of "kettle add --on all" to the other machines, \
      at one of its addresses. A request needs the fleet's secret.

      Examples:
        kettle fleet join postgres://db.example/downloads
        kettle fleet join service=downloads --name nas --labels eu,disk --take 40 \
      --root /srv/files --root s3://bucket/raw
        kettle fleet join postgres://db.example/downloads --take 0      only add and watch
      """)

  @Argument(help: ArgumentHelp("The database, without a password.", valueName: "database"))
  var database: String

  @Option(help: ArgumentHelp("Its name in the fleet; default: the host name.", valueName: "name"))
  var name: String?

  @Option(
    help: ArgumentHelp("What \"kettle add --on\" can name it by: nas,eu.", valueName: "labels"))
  var labels: String?

  @Option(help: ArgumentHelp("How many downloads it claims at most.", valueName: "n"))
  var take = FleetRequest.takeUsual

  @Option(
    name: .customLong("root"),
    help: ArgumentHelp(
      """
      A directory or s3://BUCKET/PREFIX below which files may go; can be repeated; default: the \
      downloads directory.
      """, valueName: "dir"),
    completion: .directory)
  var roots: [String] = []

  @Option(
    help: ArgumentHelp(
      "Give files that all machines want to the others, at 10.0.0.5:7070.",
      valueName: "address:port"))
  var share: String?

  func run(in context: CommandContext) async throws -> ExitCode {
    try FleetCommand.checkDatabase(database)
    let labels = (labels ?? "").split(separator: ",").map(String.init)
    for text in [name].compactMap(\.self) + labels where !FleetRequest.isName(text) {
      throw UsageError(.fleet(.name(text)))
    }
    guard (0...FleetRequest.takeMax).contains(take) else {
      throw UsageError(.fleet(.number(option: "--take", 0...FleetRequest.takeMax)))
    }
    if let share, ShareAddress(share) == nil { throw UsageError(.fleet(.share(share))) }
    let roots = try roots.map { root throws(UsageError) in try Self.root(root, in: context) }
    let reply = try await FleetCommand.send(
      .join(
        database: database, name: name, labels: labels, take: take, roots: roots, share: share),
      in: context)
    if let standing = reply.standing {
      try context.console.printLine(Sentences.joined(standing))
    }
    return .done
  }

  private static func root(
    _ text: String, in context: CommandContext
  ) throws(UsageError) -> String {
    if ObjectPrefix.isMeant(by: text) {
      guard let prefix = ObjectPrefix(text) else { throw UsageError(.path(.notAPrefix(text))) }
      return prefix.text
    }
    if context.host != nil, !text.hasPrefix("/") { throw UsageError(.fleet(.root(text))) }
    return try context.currentDirectory.absolute(text)
  }
}

/// `kettle fleet leave`
struct FleetLeaveCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave", abstract: "Give back what this machine has claimed, and leave.",
    discussion: "Other machines begin these downloads from zero. Finished files stay.")

  @Flag(help: "Claim nothing more, finish what runs, and leave then.")
  var drain = false

  func run(in context: CommandContext) async throws -> ExitCode {
    _ = try await FleetCommand.send(.leave(isDraining: drain), in: context)
    try context.console.printLine(drain ? Sentences.leavesFleetLater : Sentences.leftFleet)
    return .done
  }
}

/// `kettle fleet status`
struct FleetStatusCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show how this machine takes part in its fleet.",
    discussion: """
      Programs should use --json: an object with fleet (null, or database, name, labels, take, \
      roots, shareAddress, claimedCount, isDraining, problem and silentSince). Exits with 2 in no fleet.
      """)

  @Flag(help: "Print JSON.") var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    let standing = try await FleetCommand.send(.status, in: context).standing
    if json {
      let object = JSONValue.object([.init("fleet", standing?.json ?? .null)])
      try context.console.printLine(object.text)
    } else if let standing {
      for line in Sentences.standing(standing, context.clock) {
        try context.console.printLine(line)
      }
    } else {
      throw ControlError(.noFleet, "")
    }
    return standing == nil ? .refused : .done
  }
}

/// `kettle fleet limit`
struct FleetLimitCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limit", abstract: "Limit the speed of all machines together.",
    discussion: "It is divided among the machines by what each of them needs.")

  @Argument(
    help: ArgumentHelp("Bytes per second: 500K, 200M, or none.", valueName: "rate"))
  var rate: String

  func run(in context: CommandContext) async throws -> ExitCode {
    let isNone = rate.lowercased() == RateText.none
    guard let bytesPerSecond = isNone ? .some(nil) : RateText.typed(rate).map(Optional.some) else {
      throw UsageError(.value(.limit(rate)))
    }
    _ = try await FleetCommand.send(.limit(bytesPerSecond: bytesPerSecond), in: context)
    try context.console.printLine(Sentences.limitedFleet(bytesPerSecond))
    return .done
  }
}

/// `kettle fleet drain`
struct FleetDrainCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drain", abstract: "Let a machine finish what it has claimed, and claim nothing.")

  @Argument(help: ArgumentHelp("The name of the machine.", valueName: "name"))
  var name: String

  func run(in context: CommandContext) async throws -> ExitCode {
    _ = try await FleetCommand.send(.drain(host: name, isDraining: true), in: context)
    try context.console.printLine(Sentences.drained(name))
    return .done
  }
}

/// `kettle fleet undrain`
struct FleetUndrainCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undrain", abstract: "Let a machine claim again.")

  @Argument(help: ArgumentHelp("The name of the machine.", valueName: "name"))
  var name: String

  func run(in context: CommandContext) async throws -> ExitCode {
    _ = try await FleetCommand.send(.drain(host: name, isDraining: false), in: context)
    try context.console.printLine(Sentences.undrained(name))
    return .done
  }
}
