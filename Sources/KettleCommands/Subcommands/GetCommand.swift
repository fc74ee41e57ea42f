import ArgumentParser
import KettleClient
import KettleControl
import KettleDashboard
import KettleModel

/// `kettle get`
struct GetCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Download one file and wait for it.",
    discussion: """
      The service performs the download: Ctrl-C, or closing the terminal, leaves it running in \
      the background. Accepts the options of "kettle add".

      Progress, and the reason whenever it waits, go to standard error; the path of the finished \
      file goes to standard output.

      Exits with 0 when the file is complete, and with 1 when the transfer failed, was stopped \
      or removed, or needs a login or a new link.

      Examples:
        kettle get https://example.org/disk.iso
        kettle get -d /tmp -o page.html https://example.org/
        kettle get --user anna https://example.org/private.zip
        tar -xf "$(kettle get https://example.org/source.tar.gz)"
      """)

  @Argument(help: ArgumentHelp("The http or https URL to download.", valueName: "url"))
  var url: String

  @OptionGroup var options: AddOptions

  @Flag(help: "Print only the finished transfer, as \"kettle list --json\" prints one.")
  var json = false

  /// Moves a countdown by one second, and gives several polls between two lines of a pipe. There,
  /// an event for every tick of the service would cost more than the rest of the command.
  private static let pollMilliseconds: Int64 = 1000

  func run(in context: CommandContext) async throws -> ExitCode {
    let spec = try readSpec(in: context)
    // One connection for both: a second one would take a tenth of the time of a small file.
    return try await context.withService(for: "kettle get") { service in
      let adder = TransferAdder(
        service: service, reconnect: context.reconnection(for: "kettle get"))
      guard let id = try await adder.add([spec]).first else {
        throw ControlError(.internalError, AddTransfers.name)
      }
      return try await follow(id, over: service, in: context)
    }
  }

  private func follow(
    _ id: TransferID, over service: any ServiceCalling, in context: CommandContext
  ) async throws -> ExitCode {
    var watch = GetWatch(id: id, context: context, json: json)
    let follower = EventFollower(
      context: context, address: context.address, client: "kettle get",
      includesProgress: watch.progressSource == .events,
      pollMilliseconds: watch.progressSource == .none ? nil : Self.pollMilliseconds)
    return try await follower.run(over: service) { try await watch.handle($0) }
  }

  private func readSpec(in context: CommandContext) throws -> TransferSpec {
    let parsed = TransferURL.parse(url)
    var problems: [UsageProblem] = []
    if case .failure(let why) = parsed { problems.append(.url(url, why)) }
    if options.paused { problems.append(.command(.pausedGet)) }
    return try SpecTemplate.finished(options, problems, in: context).spec(for: parsed.get())
  }
}

/// Watches the transfer of `get` to its end.
struct GetWatch {
  private let id: TransferID
  private let context: CommandContext
  private let json: Bool
  private let look: Look
  private var progress: ProgressPrinter
  /// The reader of the pipe has gone; the exit code still counts.
  private var isSilent: Bool

  /// How the command learns of progress that is not a change of state.
  enum ProgressSource {
    case none, polling
    /// Events while it runs, polling while it does not.
    case events
  }

  var progressSource: ProgressSource {
    if json { return .none }
    return context.console.isTerminal(.error) ? .events : .polling
  }

  init(id: TransferID, context: CommandContext, json: Bool) {
    self.id = id
    self.context = context
    self.json = json
    let isTerminal = context.console.isTerminal(.error)
    look = context.look(of: .error)
    progress = ProgressPrinter(
      on: context.console, to: .error, clock: context.clock, look: isTerminal ? look : nil)
    isSilent = json
  }

  mutating func handle(_ update: EventFollower.Update) async throws -> ExitCode? {
    switch update {
    case .connected(let service), .pollDue(let service), .eventsDropped(let service):
      return try await refresh(from: service)
    case .event(let event):
      guard event.id == id else { return nil }
      switch event.kind {
      case .removed: return end(Sentences.removedMeanwhile(id), .transferFailed)
      case .added, .stateChanged, .progress: return try record(event.snapshot)
      }
    case .interrupted:
      let words = Sentences.leftRunning(id)
      try? progress.finishLine()
      context.console.printNote(words)
      return .interrupted
    case .completed, .limitReached: return nil
    }
  }

  private mutating func refresh(from service: any ServiceCalling) async throws -> ExitCode? {
    do {
      return try record(try await service.call(DescribeTransfer.self, .init(id: id)).snapshot)
    } catch let error as ControlError where error.code == .unknownTransfer {
      return end(Sentences.removedMeanwhile(id), .transferFailed)
    }
  }

  private mutating func record(_ row: TransferSnapshot) throws -> ExitCode? {
    switch TransferOutcome(row) {
    case .unfinished:
      try show(row)
      return nil
    case .completed:
      try show(row)
      try finish(row)
      return .done
    case .failed(let sentence), .needsUser(let sentence):
      try finish(row)
      return end(sentence, .transferFailed)
    case .idle:
      return end(Sentences.stoppedMeanwhile(id), .transferFailed)
    }
  }

  private mutating func show(_ row: TransferSnapshot) throws {
    guard !isSilent else { return }
    do {
      try progress.show(row, at: context.clock.now())
    } catch ConsoleError.readerGone {
      isSilent = true
    }
  }

  private mutating func finish(_ row: TransferSnapshot) throws {
    do {
      if json { return try context.console.printLine(row.json.text) }
      try progress.finishLine()
      if row.state == .completed, let path = row.path, !isSilent {
        try context.console.printLine(path.sanitizedForDisplay(limit: 4096))
      }
    } catch ConsoleError.readerGone {
      isSilent = true
    }
  }

  private mutating func end(_ sentence: String, _ code: ExitCode) -> ExitCode {
    try? progress.finishLine()
    context.console.printError(json ? sentence : look.painted(sentence, .problem))
    return code
  }
}
