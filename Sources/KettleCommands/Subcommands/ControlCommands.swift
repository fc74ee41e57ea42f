import ArgumentParser
import KettleControl
import KettleModel
import KettleSocket

/// `kettle pause`
struct PauseCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause",
    abstract: "Pause transfers and keep the downloaded bytes.",
    discussion: """
      A paused transfer resumes with "kettle start". --all pauses every unfinished transfer.

      Examples:
        kettle pause 3 4
        kettle pause --all
      """)

  static var worksOnFleet: Bool { true }

  static var repeatedType: (any ExpressibleByArgument.Type)? { TransferID.self }

  @OptionGroup var options: ControlOptions

  func run(in context: CommandContext) async throws -> ExitCode {
    try await ControlRunner(
      verb: .pause, selection: options.selection(for: "pause"), context: context
    ).run()
  }
}

/// `kettle start`
struct StartCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Start or resume transfers.",
    usage: """
      kettle start [<id> ...] [--all] [--fresh]
             kettle start <id> [--url <url>] [--user <user> [--remember]]
      """,
    discussion: """
      A paused or failed transfer resumes from the bytes it has if they are still usable, and \
      otherwise starts from the beginning; the output says which. A stopped one continues from \
      the bytes that the bin keeps for ten minutes. --fresh starts from the beginning, and puts \
      the bytes into the bin. --all starts every transfer that is neither running nor done.

      --url gives one transfer a new link, for example when its own has expired. Its bytes are \
      kept if the server proves that the file is the same. A user and password in the link \
      become its new login. --user gives one transfer a login and keeps its link. With --remember, \
      the login is used for every transfer from the host that has none of its own.

      Examples:
        kettle start 3
        kettle start --all
        kettle start 3 --fresh
        kettle start 3 --url 'https://example.org/disk.iso?token=new'
        kettle start 3 --user anna
        kettle start 3 --user anna --remember
      """)

  static var worksOnFleet: Bool { true }

  static var repeatedType: (any ExpressibleByArgument.Type)? { TransferID.self }

  @OptionGroup var options: ControlOptions

  @Flag(help: "Start from the beginning; the bytes so far go to the bin.")
  var fresh = false

  @Option(help: ArgumentHelp("A new link for the transfer.", valueName: "url"))
  var url: String?

  @Option(
    help: ArgumentHelp(
      "A login for the transfer, as name:password; asks for a missing password.",
      valueName: "user"))
  var user: String?

  @Flag(help: "Use the login for every transfer from the host, now and later.")
  var remember = false

  func run(in context: CommandContext) async throws -> ExitCode {
    let selection = try options.selection(for: "start")
    let runner = ControlRunner(
      verb: fresh ? .startFresh : .start, selection: selection, context: context)
    if fresh, url != nil || user != nil { throw UsageError(.command(.freshWithLink)) }
    guard url != nil || user != nil else {
      if remember { throw UsageError(.command(.rememberWithoutLogin)) }
      return try await runner.run()
    }
    guard options.ids.count == 1, let id = options.ids.first else {
      throw UsageError(.command(.linkForSeveral))
    }
    let link = try url.map(Self.link)
    let login = try user.map { try LoginText($0).login(asking: context.console) }
    let exitCode = try await runner.run(relinking: id, to: link, login: login)
    return remember && exitCode == .done ? try await runner.remember() : exitCode
  }

  private static func link(_ text: String) throws -> TransferURL.Parsed {
    switch TransferURL.parse(text) {
    case .success(let link): return link
    case .failure(let why): throw UsageError(.url(text, why))
    }
  }
}

/// `kettle stop`
struct StopCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "Stop transfers and move their bytes to the bin.",
    discussion: """
      A stopped transfer stays in the list. For ten minutes its bytes are in the bin: "kettle \
      start" continues from them, and "kettle undo" brings everything back as it was. After that \
      it starts from the beginning; "kettle pause" keeps the bytes for good. --all stops every \
      unfinished transfer.

      Examples:
        kettle stop 3
        kettle stop --all
      """)

  static var worksOnFleet: Bool { true }

  static var repeatedType: (any ExpressibleByArgument.Type)? { TransferID.self }

  @OptionGroup var options: ControlOptions

  func run(in context: CommandContext) async throws -> ExitCode {
    try await ControlRunner(
      verb: .stop, selection: options.selection(for: "stop"), context: context
    ).run()
  }
}

/// `kettle reset`
struct ResetCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Move the downloaded files to the bin and reset all transfers.",
    discussion: """
      Moves the files that Kettle downloaded. A file that another program has modified stays in \
      its place and is listed. The list stays, ready to be started again. For ten minutes, \
      "kettle undo" brings everything back.

      Examples:
        kettle reset
        kettle reset --yes
      """)

  @Flag(name: [.short, .long], help: "Do not ask.")
  var yes = false

  func run(in context: CommandContext) async throws -> ExitCode {
    if !yes {
      guard context.console.isInputTerminal else {
        throw UsageError(.command(.confirmationNeedsTerminal(command: "reset")))
      }
      guard try context.console.confirms(Sentences.resetQuestion) else {
        context.console.printNote(Sentences.nothingChanged)
        return .interrupted
      }
    }
    return try await context.withService(for: "kettle reset") { service in
      let result = try await service.call(ResetTransfers.self, .init())
      try context.console.write(
        Sentences.reset(result).map { $0 + "\n" }.joined(), to: .output)
      return .done
    }
  }
}

/// `kettle remove`
struct RemoveCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove transfers from the list.",
    discussion: """
      A partial file goes to the bin with its transfer; a finished file stays, unless --with-file \
      is given and the file was not modified since. For ten minutes, "kettle undo" brings \
      everything back. On a terminal, --all asks first. Without a terminal it does not ask, but \
      --with-file requires --yes.

      Examples:
        kettle remove 3
        kettle remove --with-file 3
        kettle remove --all --yes
      """)

  static var worksOnFleet: Bool { true }

  static var repeatedType: (any ExpressibleByArgument.Type)? { TransferID.self }

  @OptionGroup var options: ControlOptions

  @Flag(help: "Move the finished file to the bin too.")
  var withFile = false

  @Flag(name: [.short, .long], help: "Do not ask.")
  var yes = false

  func run(in context: CommandContext) async throws -> ExitCode {
    let selection = try options.selection(for: "remove")
    if options.areMany, !yes {
      let mayAsk = context.console.isInputTerminal
      if withFile, !mayAsk {
        throw UsageError(
          .command(.confirmationNeedsTerminal(command: "remove --all --with-file")))
      }
      if mayAsk,
        try !context.console.confirms(Sentences.removeAllQuestion(withFiles: withFile))
      {
        context.console.printNote(Sentences.nothingChanged)
        return .interrupted
      }
    }
    return try await ControlRunner(
      verb: withFile ? .removeWithFile : .remove, selection: selection, context: context
    ).run()
  }
}

/// `kettle limit`
struct LimitCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limit",
    abstract: "Limit the speed of transfers, including running ones.",
    discussion: """
      With ids, limits each of these transfers; the limit stays with them. Without ids, or with \
      --all, limits all transfers together until the service stops, or until the next change of \
      [[limits.schedule]]. The configuration file has permanent limits.

      Examples:
        kettle limit 500K 3 4
        kettle limit none 3
        kettle limit 1.5M
        kettle limit none
      """)

  static var repeatedType: (any ExpressibleByArgument.Type)? { TransferID.self }

  @Argument(
    help: ArgumentHelp(
      "Bytes per second: 500K, 1.5MiB, \"500 KiB/s\" or 500KB, or none.", valueName: "rate"))
  var rate: String

  @Argument(
    help: ArgumentHelp("The id of a transfer, as shown by \"kettle list\".", valueName: "id"),
    completion: .asking(.transfers))
  var idRuns: [ValueRun<TransferID>] = []

  @Flag(help: "Limit all transfers together.")
  var all = false

  private var ids: [TransferID] { idRuns.flatMap(\.values) }

  func run(in context: CommandContext) async throws -> ExitCode {
    if all, !ids.isEmpty { throw UsageError(.command(.bothIDsAndAll(command: "limit"))) }
    let bytesPerSecond = try readRate()
    let selection: TransferSelection = ids.isEmpty ? .all : .ids(ids)
    return try await context.withService(for: "kettle limit") { service in
      let result = try await service.call(
        LimitSpeed.self, .init(selection: selection, bytesPerSecond: bytesPerSecond))
      switch selection {
      case .all: try context.console.printLine(Sentences.limitedAll(bytesPerSecond))
      case .ids, .matching:
        for id in result.applied {
          try context.console.printLine(Sentences.limited(id, bytesPerSecond))
        }
      }
      for refusal in result.refused { context.console.printError(Sentences.limitRefused(refusal)) }
      return ControlRunner.exitCode(of: result)
    }
  }

  private func readRate() throws(UsageError) -> Int64? {
    if rate.lowercased() == RateText.none { return nil }
    guard let bytesPerSecond = RateText.typed(rate) else {
      throw UsageError(.value(.limit(rate)))
    }
    return bytesPerSecond
  }
}

/// `kettle accept`
struct AcceptCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Accept a web page as the file, or a server that is not trusted.",
    discussion: """
      A transfer needs a decision when a web page arrived under a name such as disk.iso: a login \
      page, for example, or an error with status 200. The page stays NAME.part until it is \
      accepted; "kettle start" requests the file again.

      It also needs one when the system does not trust the server's certificate, or when the host \
      key of an SFTP server is not in ~/.ssh/known_hosts. "kettle why" shows the certificate or \
      the key. Accepting trusts it for the transfer, with --remember for every \
      transfer from that host.

      Examples:
        kettle accept 3
        kettle accept 4 --remember
      """)

  static var repeatedType: (any ExpressibleByArgument.Type)? { TransferID.self }

  @Argument(
    help: ArgumentHelp("The id of a transfer, as shown by \"kettle list\".", valueName: "id"),
    completion: .asking(.transfers))
  var idRuns: [ValueRun<TransferID>]

  @Flag(help: "Trust the server for every transfer from the host, now and later.")
  var remember = false

  private var ids: [TransferID] { idRuns.flatMap(\.values) }

  func run(in context: CommandContext) async throws -> ExitCode {
    let runner = ControlRunner(verb: .accept, selection: .ids(ids), context: context)
    let exitCode = try await runner.run()
    return remember && exitCode == .done ? try await runner.remember() : exitCode
  }
}
