import ArgumentParser
import KettleClient
import KettleControl
import KettleModel

/// `kettle demo`
struct DemoCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Try the dashboard with five files served by Kettle.",
    discussion: """
      Everything happens in a temporary home directory with a service of its own; none of your \
      files is touched, and no network is needed. Leaving with q deletes it all. If the terminal \
      is closed, the demo continues for a minute, in which the next "kettle demo" finds it \
      again; then it deletes itself. Without a terminal it downloads the files and prints lines.

      Examples:
        kettle demo
        kettle demo --seconds 30
      """)

  static let isForThisMachineOnly = true

  @Option(help: ArgumentHelp("Leave automatically after this many seconds.", valueName: "n"))
  var seconds: Double?

  func run(in context: CommandContext) async throws -> ExitCode {
    let limit = try seconds.map { try Seconds.milliseconds($0) }
    let home = try DemoHome.open(environment: context.environment)
    let demo = Demo(context: context, home: home)
    let canDraw = context.console.isInputTerminal && context.console.isTerminal(.output)
    return try await canDraw
      ? demo.runDashboard(limitMilliseconds: limit) : demo.runPlain(limitMilliseconds: limit)
  }
}

/// `kettle demo-service`: started by `kettle demo`.
struct DemoServiceCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo-service", abstract: "Run the service of the demo.", shouldDisplay: false)
  static let isForThisMachineOnly = true

  @OptionGroup var ready: ReadyOptions

  func run(in context: CommandContext) async throws -> ExitCode {
    let options = try ready.serviceOptions(in: context)
    switch await context.runDemoService(options) {
    case .exited(let status): return ExitCode(rawValue: status)
    case .abandoned:
      let home = try DemoHome.open(environment: context.environment)
      // Started by hand, it runs in another home, which is not its own to delete.
      if context.environment["HOME"] == home.path { try home.delete() }
      return .done
    }
  }
}
