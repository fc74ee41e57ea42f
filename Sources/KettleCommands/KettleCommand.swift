import ArgumentParser
import KettleControl
import KettleModel

/// `kettle` itself: the dashboard, or its plain line mode.
struct KettleCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kettle",
    abstract: "Put the download on and walk away.",
    usage: "kettle [<subcommand>] [<options>]",
    discussion: """
      A background service downloads the files; it continues after the dashboard, the terminal \
      or the login session ends. Without a command, kettle shows the dashboard; \
      so does "kettle top".

      Examples:
        kettle                                     show the dashboard
        kettle --host me@box                       the dashboard of another machine
        kettle --host me@box list                  a command on another machine
        kettle --host local --host me@box          the lists of two machines in one
        kettle --fleet                             the queue of several machines
        kettle demo                                try it without risk
        kettle get https://example.org/disk.iso    download a file and wait for it
        kettle add -i urls.txt                     queue a list of URLs
        kettle wait --all && echo all done         continue when everything is done

      Exit codes: 0 success, 1 a transfer failed, 2 usage error, 3 the service cannot be \
      reached, 4 timeout, 130 interrupted.
      """,
    version: "kettle \(ProductVersion.text)",
    subcommands: [
      DemoServiceCommand.self, ManualCommand.self, NativeHostCommand.self, OpenLinkCommand.self,
      TopCommand.self,
    ],
    groupedSubcommands: [
      CommandGroup(name: "Download", subcommands: [GetCommand.self, AddCommand.self]),
      CommandGroup(
        name: "Inspect",
        subcommands: [
          ListCommand.self, WhyCommand.self, WatchCommand.self, WaitCommand.self, HostsCommand.self,
          QueuesCommand.self, VerifyCommand.self, CollectionsCommand.self, ManifestCommand.self,
        ]),
      CommandGroup(
        name: "Control",
        subcommands: [
          StartCommand.self, PauseCommand.self, StopCommand.self, AcceptCommand.self,
          RemoveCommand.self, LimitCommand.self, ResetCommand.self, UndoCommand.self,
          BinCommand.self, RepairCommand.self, SyncCommand.self,
        ]),
      CommandGroup(
        name: "Service",
        subcommands: [
          DaemonCommand.self, FleetCommand.self, ConfigCommand.self, ThemeCommand.self,
          RulesCommand.self,
          RPCCommand.self,
          BrowserCommand.self,
          SessionCommand.self, CompletionCommand.self, DemoCommand.self,
        ]),
    ])

  @Flag(help: "Draw the dashboard, get and list in ASCII only.") var ascii = false

  @Flag(help: "Print a line per change instead of the dashboard, for screen readers and logs.")
  var plain = false

  @Option(
    help: ArgumentHelp(
      "With most commands: use another machine's service, over your ssh. Can be repeated.",
      valueName: "user@host"))
  var host: String?

  @Flag(
    help: """
      With list, watch, wait, why, add, start, pause, stop, remove, verify and repair: the fleet's \
      queue.
      """)
  var fleet = false

  static var worksOnFleet: Bool { true }
  static var worksOnMachines: Bool { true }

  func run(in context: CommandContext) async throws -> ExitCode {
    let plainMode = PlainMode(context: context)
    guard !plain, context.console.isInputTerminal, context.console.isTerminal(.output) else {
      return try await plainMode.run()
    }
    do {
      var request = DashboardRequest(address: context.address, client: "kettle")
      request.isASCII = ascii
      await ServiceUpdate(context: context).applyIfRunning(for: "kettle")
      let outcome = try await context.dashboard.open(request, in: context)
      switch outcome {
      case .left(let continuingCount):
        try context.console.printLine(Sentences.leftDashboard(continuingCount: continuingCount))
        return .done
      case .limitReached: return .done
      case .ended(let code): return code
      }
    } catch let problem as DashboardUnavailable {
      context.console.printError(problem.sentence)
      return try await plainMode.run()
    }
  }
}

/// `kettle top`, which people of other programs try: the dashboard.
struct TopCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top", abstract: "Show the dashboard, as kettle does without a command.",
    shouldDisplay: false)

  static var worksOnFleet: Bool { true }
  static var worksOnMachines: Bool { true }

  @ParentCommand var dashboard: KettleCommand

  func run(in context: CommandContext) async throws -> ExitCode {
    try await dashboard.run(in: context)
  }
}

/// The words that can follow `kettle`.
enum CommandNames {
  static var all: [String] {
    KettleCommand.configuration.subcommands.map { $0._commandName } + shown
  }

  /// Those that people type; help, completions and manual pages have no others.
  static var shown: [String] {
    KettleCommand.configuration.groupedSubcommands.flatMap(\.subcommands).map { $0._commandName }
  }

  /// Returns what is wrong with the first word of the command line, where we know more than the
  /// parser.
  static func problem(of word: String) -> UsageProblem.CommandProblem? {
    if word.contains("://") { return .isURL(word) }
    guard !word.hasPrefix("-"), !word.isEmpty, word != "help", !all.contains(word) else {
      return nil
    }
    return .unknown(word, meant: otherWords[word.lowercased()] ?? nearest(to: word))
  }

  /// Words of other programs, and the command that does the same here.
  private static let otherWords = [
    "rm": "remove", "del": "remove", "delete": "remove", "erase": "remove",
    "resume": "start", "continue": "start", "unpause": "start", "retry": "start",
    "restart": "start", "login": "start ID --user NAME", "hold": "pause",
    "cancel": "stop", "abort": "stop", "kill": "stop", "restore": "undo", "trash": "bin",
    "ls": "list", "ps": "list", "queue": "list", "show": "list",
    "history": "list --state done", "status": "daemon status", "info": "why",
    "explain": "why", "follow": "watch", "tail": "watch",
    "download": "get", "fetch": "get", "enqueue": "add", "trust": "accept",
    "throttle": "limit", "speed": "limit", "quit": "daemon stop", "version": "--version",
  ]

  /// Returns the command that was probably meant, or nil when none is close.
  private static func nearest(to word: String) -> String? {
    NearestWord.of(word, in: shown)
  }
}
