import ArgumentParser
import KettleClient
import KettleControl
import KettleModel

/// `kettle get`
struct GetCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Download one file and wait for it.",
    discussion: """
      The service performs the download: Ctrl-C, or closing the terminal, leaves it running in \
      the background. Accepts the options of "kettle add".

      Exits with 0 when the file is complete, and with 1 when the transfer failed, was stopped \
      or removed, or needs a login or a new link.

      Examples:
        kettle get https://example.org/disk.iso
        kettle get -d /tmp -o page.html https://example.org/
        kettle get --user anna https://example.org/private.zip
      """)

  @Argument(help: ArgumentHelp("The http or https URL to download.", valueName: "url"))
  var url: String

  @OptionGroup var options: AddOptions

  @Flag(help: "Print only the finished transfer, as \"kettle list --json\" prints one.")
  var json = false

  /// Gives several looks between two lines of a pipe. An event for every tick of the service would
  /// cost more than the rest of the command.
  private static let lookMilliseconds = ProgressPrinter.plainMilliseconds / 5

  func run(in world: CommandWorld) async throws -> ExitCode {
    let spec = try readSpec(in: world)
    // One connection for both: a second one would take a tenth of the time of a small file.
    return try await world.withService(for: "kettle get") { service in
      let adding = Adding(service: service, reconnect: world.reconnection(for: "kettle get"))
      guard let id = try await adding.add([spec]).first else {
        throw ControlError(.internalError, AddTransfers.name)
      }
      return try await follow(id, over: service, in: world)
    }
  }

  private func follow(
    _ id: TransferID, over service: any ServiceCalling, in world: CommandWorld
  ) async throws -> ExitCode {
    var watch = GetWatch(id: id, world: world, json: json)
    let follower = EventFollower(
      world: world, place: world.place, client: "kettle get",
      includesProgress: watch.progressNews == .events,
      lookMilliseconds: watch.progressNews == .looks ? Self.lookMilliseconds : nil)
    return try await follower.run(over: service) { try await watch.take($0) }
  }

  private func readSpec(in world: CommandWorld) throws -> TransferSpec {
    let parsed = TransferURL.parse(url)
    var problems: [UsageProblem] = []
    if case .failure(let why) = parsed { problems.append(.url(url, why)) }
    if options.paused { problems.append(.command(.pausedGet)) }
    return try SpecTemplate.finished(options, problems, in: world).spec(for: parsed.get())
  }
}

/// Watches the transfer of `get` to its end.
struct GetWatch {
  private let id: TransferID
  private let world: CommandWorld
  private let json: Bool
  private var progress: ProgressPrinter
  /// The reader of the pipe has gone; the exit code still counts.
  private var isSilent: Bool

  /// How the command learns of progress that is not a change of state.
  enum ProgressNews {
    case none, looks, events
  }

  var progressNews: ProgressNews {
    if json { return .none }
    return world.console.isTerminal(.output) ? .events : .looks
  }

  init(id: TransferID, world: CommandWorld, json: Bool) {
    self.id = id
    self.world = world
    self.json = json
    progress = ProgressPrinter(
      on: world.console, isRedrawn: world.console.isTerminal(.output))
    isSilent = json
  }

  mutating func take(_ happening: EventFollower.Happening) async throws -> ExitCode? {
    switch happening {
    case .connected(let service), .lookDue(let service), .eventsDropped(let service):
      return try await look(service)
    case .event(let event):
      guard event.id == id else { return nil }
      switch event.kind {
      case .removed: return end(Sentences.removedMeanwhile(id), .transferFailed)
      case .added, .stateChanged, .progress: return try took(event.snapshot)
      }
    case .interrupted:
      let words = Sentences.leftRunning(id)
      try? progress.finishLine()
      world.console.mention(words)
      return .interrupted
    case .completed, .limitReached: return nil
    }
  }

  private mutating func look(_ service: any ServiceCalling) async throws -> ExitCode? {
    do {
      return try took(try await service.call(DescribeTransfer.self, .init(id: id)).snapshot)
    } catch let error as ControlError where error.code == .unknownTransfer {
      return end(Sentences.removedMeanwhile(id), .transferFailed)
    }
  }

  private mutating func took(_ row: TransferSnapshot) throws -> ExitCode? {
    try show(row)
    switch Outcome(row) {
    case .unfinished: return nil
    case .completed:
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
      try progress.show(row, at: world.clock.now().monotonic)
    } catch ConsoleError.readerGone {
      isSilent = true
    }
  }

  private mutating func finish(_ row: TransferSnapshot) throws {
    do {
      if json { return try world.console.say(row.json.text) }
      try progress.finishLine()
      if row.state == .completed, let path = row.path, !isSilent {
        try world.console.say(path.sanitizedForDisplay(limit: 4096))
      }
    } catch ConsoleError.readerGone {
      isSilent = true
    }
  }

  private mutating func end(_ sentence: String, _ code: ExitCode) -> ExitCode {
    try? progress.finishLine()
    world.console.complain(sentence)
    return code
  }
}
