import ArgumentParser
import KettleClient
import KettleControl

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
