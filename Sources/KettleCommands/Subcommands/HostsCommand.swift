import ArgumentParser
import KettleControl
import KettleSocket

/// `kettle hosts`
struct HostsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hosts",
    abstract: "Show what the service knows about hosts, or forget it.",
    discussion: """
      A host that refuses connections gets fewer of them; the limit rises again by one with every \
      30 seconds without a refusal. A host that cannot be reached is tried by one transfer at a \
      time, and all its transfers continue when it responds.

      Examples:
        kettle hosts
        kettle hosts --json
        kettle hosts reset files.example.org
        kettle hosts forget nas.local
      """,
    subcommands: [HostsListCommand.self, HostsResetCommand.self, HostsForgetCommand.self],
    defaultSubcommand: HostsListCommand.self)
}

/// `kettle hosts list`, which is `kettle hosts`
struct HostsListCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the hosts with connections, queued transfers, limits, outages or decisions.",
    discussion: """
      Programs should use --json: an array of objects with origin, connections, queuedCount, limit \
      (null or connectionsMax, triedCount, since and status), closedUntil, outage (null or since, \
      failedProbeCount, nextProbeAt, code and message) and remembered (null or user and \
      certificateCount: the login and the certificates that you gave for the host).
      """)

  @Flag(help: "Print JSON.")
  var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    try await context.withService(for: "kettle hosts") { service in
      let hosts = try await service.call(ListHosts.self, .init()).hosts
      if json {
        var printer = try JSONArrayPrinter(on: context.console)
        try printer.print(hosts.map(\.json))
        try printer.end()
      } else if hosts.isEmpty {
        context.console.printNote(Sentences.noHosts)
      } else {
        for host in hosts { try context.console.printLine(Sentences.of(host, context.clock)) }
      }
      return .done
    }
  }
}

/// `kettle hosts reset`
struct HostsResetCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Forget a host's limit, pause, outage and rejected login, and try it now.",
    discussion: """
      Exits with 2 if nothing is remembered about the host.

      Example:
        kettle hosts reset files.example.org
      """)

  @Argument(
    help: ArgumentHelp("A host, a host and port, or an origin as listed.", valueName: "host"),
    completion: .asking(.hosts))
  var name: String

  func run(in context: CommandContext) async throws -> ExitCode {
    try await context.withService(for: "kettle hosts reset") { service in
      let origins = try await service.call(ResetHost.self, .init(host: name)).origins
      guard !origins.isEmpty else {
        context.console.printError(Sentences.nothingKnown(about: name))
        return .refused
      }
      for origin in origins { try context.console.printLine(Sentences.hostReset(origin)) }
      return .done
    }
  }
}

/// `kettle hosts forget`
struct HostsForgetCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Forget the login and the trusted certificates that you gave for a host.",
    discussion: """
      A running transfer keeps them until it is started again. Exits with 2 if nothing is \
      remembered about the host.

      Example:
        kettle hosts forget nas.local
      """)

  @Argument(
    help: ArgumentHelp("A host, a host and port, or an origin as listed.", valueName: "host"),
    completion: .asking(.hosts))
  var name: String

  func run(in context: CommandContext) async throws -> ExitCode {
    try await context.withService(for: "kettle hosts forget") { service in
      let origins = try await service.call(ForgetHost.self, .init(host: name)).origins
      guard !origins.isEmpty else {
        context.console.printError(Sentences.nothingKnown(about: name))
        return .refused
      }
      for origin in origins { try context.console.printLine(Sentences.hostForgotten(origin)) }
      return .done
    }
  }
}
