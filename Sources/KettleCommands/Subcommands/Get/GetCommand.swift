import ArgumentParser
import KettleClient
import KettleControl
import KettleModel

/// `kettle get`
struct GetCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Download files and wait for them.",
    discussion: """
      The service performs the downloads: Ctrl-C, or closing the terminal, leaves them running in \
      the background. Accepts the options of "kettle add"; --help-hidden lists the rare ones too.

      Progress, and the reason whenever a download waits, go to standard error; the path of each \
      finished file goes to standard output. A URL that is on the list already is not fetched a \
      second time: its transfer is followed, and started if it stands still. It takes over the \
      options, and a finished file is compared with --checksum; an option that comes too late is \
      an error.

      Exits with 0 when every file is complete, and with 1 when a transfer failed, was stopped \
      or removed, or needs a login or a new link.

      Examples:
        kettle get https://example.org/disk.iso
        kettle get -d /tmp/new -o page.html https://example.org/
        kettle get https://example.org/a.zip https://example.org/b.zip
        kettle get --user anna https://example.org/private.zip
        kettle get -o - https://example.org/source.tar.gz | tar -xz
      """)

  static var repeatedType: (any ExpressibleByArgument.Type)? { String.self }

  @Argument(
    help: ArgumentHelp(
      "The URL to download (http, https, ftp, ftps or sftp), or a Metalink file (.meta4).",
      valueName: "url"))
  var urlRuns: [ValueRun<String>]

  @Flag(name: .shortAndLong, help: "Show no progress; errors are still printed.")
  var quiet = false

  @Flag(help: "Fetch another copy of what is on the list already.")
  var again = false

  @Flag(help: "With -o -: pass the bytes on as they arrive, before they are verified.")
  var stream = false

  @OptionGroup var options: AddOptions

  /// Refused with a sentence that names `kettle add`.
  @Flag(help: .private)
  var paused = false

  @Flag(
    help: """
      Print only the finished transfer, as "kettle list --json" prints one; several as an array.
      """)
  var json = false

  /// Moves a countdown by one second, and gives several polls between two lines of a pipe. There,
  /// an event for every tick of the service would cost more than the rest of the command.
  private static let pollMilliseconds: Int64 = 1000

  func run(in context: CommandContext) async throws -> ExitCode {
    let (specs, delivery) = try readSpecs(in: context)
    defer { delivery?.removeDirectory() }
    // One connection for all: a second one would take a tenth of the time of a small file.
    return try await context.withService(for: "kettle get") { service in
      let isNew = again || delivery != nil || options.fetch.then != nil
      let copies = ListedCopies(service: service, isWanted: !isNew)
      let adder = TransferAdder(
        service: service, reconnect: context.reconnection(for: "kettle get"))
      let outcome = try await copies.ids(for: specs) { new in
        try await adder.add(new)
      } report: { report in
        switch report {
        case .refused(let sentence): context.console.printError(sentence)
        case .follows, .another:
          if !quiet, !json { context.console.printError(Sentences.of(report)) }
        }
      }
      return try await follow(outcome, delivery, over: service, in: context)
    }
  }

  private func follow(
    _ outcome: ListedCopies.Outcome, _ delivery: StandardOutputDelivery?,
    over service: any ServiceCalling, in context: CommandContext
  ) async throws -> ExitCode {
    if outcome.ids.isEmpty { return .transferFailed }
    var watch = GetWatch(
      ids: outcome.ids, context: context, form: json ? .json : quiet ? .quiet : .progress,
      delivery: delivery, hasFailed: outcome.refusedCount > 0)
    let follower = EventFollower(
      context: context, address: context.address, client: "kettle get",
      includesProgress: watch.progressSource == .events,
      pollMilliseconds: watch.progressSource == .none ? nil : Self.pollMilliseconds)
    return try await follower.run(over: service) { try await watch.handle($0) }
  }

  private func readSpecs(
    in context: CommandContext
  ) throws -> ([TransferSpec], StandardOutputDelivery?) {
    let named = NamedSources(urlRuns.flatMap(\.values), in: context)
    var problems = named.problems
    if paused { problems.append(.command(.pausedGet)) }
    var options = options
    let isDelivered = options.output == "-"
    if isDelivered {
      options.output = nil
      if named.count > 1 {
        problems.append(.command(.standardOutputForSeveral(count: named.count)))
      }
      if context.host != nil { problems.append(.command(.standardOutputOverHost)) }
      if json { problems.append(.command(.standardOutputWithJSON)) }
      if options.fetch.then != nil { problems.append(.command(.standardOutputAndHook)) }
      if options.fetch.continues { problems.append(.command(.standardOutputAndContinue)) }
    } else if stream {
      problems.append(.command(.streamWithoutStandardOutput))
    }
    if stream, options.fetch.decode == true { problems.append(.command(.streamAndDecode)) }
    problems += options.problems(urlCount: named.count)
    let template = try SpecTemplate.finished(options, problems, hosts: named.hosts, in: context)
    var specs = named.urls.map { template.spec(for: $0) } + named.specsOfFiles(template)
    guard isDelivered else { return (specs, nil) }
    let delivery = try StandardOutputDelivery.begin(streams: stream, in: context)
    for index in specs.indices { delivery.place(&specs[index]) }
    return (specs, delivery)
  }
}
