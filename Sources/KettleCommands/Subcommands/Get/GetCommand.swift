import ArgumentParser
import KettleControl
import KettleDashboard
import KettleModel
import KettleSocket

/// `kettle get`
struct GetCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Download files and wait for them.",
    discussion: """
      The service performs the downloads: Ctrl-C, or closing the terminal, leaves them running in \
      the background. Accepts the options of "kettle add"; --help-hidden lists the rare ones too.

      Standard error receives the progress and the reason for each wait. A summary follows at the \
      end: size, time, average speed and, if there is a checksum, that it matches. The path of \
      each finished file goes to standard output. A URL that is on the list already is not \
      fetched a second time: its transfer is followed, and started if it stands still. It takes \
      over the options, and a finished file is compared with --checksum; an option that can no \
      longer take effect is an error.

      Exits with 0 when every file is done, and with 1 when a transfer failed, was stopped \
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

  @OptionGroup var collection: CollectionOptions

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
    let reader = CollectionReader(collection, in: context)
    let named = NamedSources(
      urlRuns.flatMap(\.values), collections: options.fetch.asIs ? nil : reader, in: context)
    var problems = named.problems + reader.problems
    if paused { problems.append(.command(.pausedGet)) }
    var options = options
    let isDelivered = options.output == "-"
    if isDelivered {
      options.output = nil
      if named.count > 1 {
        problems.append(.command(.standardOutputForSeveral(count: named.count)))
      }
      if context.host != nil { problems.append(.command(.standardOutputOverHost)) }
      if !named.collections.isEmpty { problems.append(.command(.standardOutputForCollection)) }
      if json { problems.append(.command(.standardOutputWithJSON)) }
      if options.fetch.then != nil { problems.append(.command(.standardOutputAndHook)) }
      if options.fetch.continues { problems.append(.command(.standardOutputAndContinue)) }
    } else if stream {
      problems.append(.command(.streamWithoutStandardOutput))
    }
    if stream, options.fetch.decode == true { problems.append(.command(.streamAndDecode)) }
    problems += options.problems(urlCount: named.count)
    let template = try SpecTemplate.finished(options, problems, hosts: named.hosts, in: context)
    var specs =
      named.urls.map { template.spec(for: $0) } + named.specsOfFiles(template)
      + named.collections.map { reader.spec(for: $0, template) }
    guard isDelivered else { return (specs, nil) }
    let delivery = try StandardOutputDelivery.begin(streams: stream, in: context)
    for index in specs.indices { delivery.place(&specs[index]) }
    return (specs, delivery)
  }
}

/// Shows the progress of the transfers of `get`: one redrawn line each on a terminal, or lines in a
/// pipe.
struct GetProgress {
  /// A terminal shows no more of them than this.
  static let lineCountMax = 10

  private let console: any Console
  private let clock: any CommandClock
  private let ids: [TransferID]
  /// nil where lines cannot be redrawn together.
  private let look: Look?
  private var printers: [TransferID: ProgressPrinter] = [:]
  private var rows: [TransferID: TransferSnapshot] = [:]
  private var endedCount = 0
  private var total = WatchedTotal()
  private var drawnAt: MonotonicTime?
  private var drawnLineCount = 0

  init(_ ids: [TransferID], in context: CommandContext) {
    console = context.console
    clock = context.clock
    self.ids = ids
    let isTerminal = console.isTerminal(.error)
    let canMoveCursor = !["", "dumb"].contains(context.environment["TERM"] ?? "")
    let look = context.look(of: .error)
    if ids.count > 1, isTerminal, canMoveCursor {
      self.look = look
    } else {
      self.look = nil
      let printer = ProgressPrinter(
        on: console, to: .error, clock: clock, look: isTerminal && ids.count == 1 ? look : nil)
      for id in ids { printers[id] = printer }
    }
  }

  mutating func show(_ row: TransferSnapshot, at now: Moment) throws(ConsoleError) {
    total.note(row, at: now.monotonic)
    guard let look else {
      try printers[row.id]?.show(row, at: now)
      return
    }
    rows[row.id] = row
    if let drawnAt, now.monotonic.milliseconds(since: drawnAt) < ProgressPrinter.redrawMilliseconds
    {
      return
    }
    drawnAt = now.monotonic
    try draw(look, at: now.wall)
  }

  /// Makes room for other output, which follows in a line of its own. A transfer that has ended is
  /// not shown any more.
  mutating func makeRoom(ending ended: TransferID? = nil) throws(ConsoleError) {
    if look == nil {
      for id in ids where ended == nil || id == ended { try printers[id]?.finishLine() }
      return
    }
    if let ended {
      rows[ended] = nil
      endedCount += 1
    }
    guard drawnLineCount > 0 else { return }
    try console.write("\r\u{1B}[\(drawnLineCount)A\u{1B}[J", to: .error)
    drawnLineCount = 0
    drawnAt = nil
  }

  /// The last line about several transfers that have all ended; nil for one, which has its own.
  func summary(at now: Moment) -> String? {
    ids.count > 1 ? total.sentence(of: ids.count, at: now.monotonic) : nil
  }

  private mutating func draw(_ look: Look, at now: WallTime) throws(ConsoleError) {
    let unfinished = ids.compactMap { rows[$0] }.filter { !$0.state.isFinished }
    // Those that move come first.
    let shown =
      (unfinished.filter { $0.state == .running } + unfinished.filter { $0.state != .running })
      .prefix(Self.lineCountMax)
    let columns = max(1, (console.columnCount(of: .error) ?? 80) - 1)
    var lines = shown.map {
      ProgressLine(row: $0, now: now).drawn(
        columns: columns, look: look, clock: clock.text(at: now)
      )
      .line
    }
    let speed = unfinished.reduce(Int64(0)) { $0 &+ $1.bytesPerSecond }
    lines.append(
      ColumnText.clipped(
        Sentences.getting(ids.count, ended: endedCount, bytesPerSecond: speed),
        to: columns))
    let up = drawnLineCount > 0 ? "\r\u{1B}[\(drawnLineCount)A" : ""
    let text = lines.map { $0 + "\u{1B}[K\n" }.joined()
    try console.write(up + text + (lines.count < drawnLineCount ? "\u{1B}[J" : ""), to: .error)
    drawnLineCount = lines.count
  }
}

/// Finds the transfers that `get` follows in place of fetching the same URL twice.
struct ListedCopies {
  let service: any ServiceCalling
  /// Whether any is followed.
  let isWanted: Bool
  /// Whether a file that is complete is not fetched again.
  var followsCompleted = true

  /// What became of the requests.
  struct Outcome: Hashable {
    /// In the order of the requests, without those that were refused.
    var ids: [TransferID] = []
    var refusedCount = 0
  }

  /// Something to say about a request whose URL is on the list.
  enum Report: Hashable {
    /// It is followed, with these parts taken over.
    case follows(TransferID, [RequestPart])
    /// Another copy is fetched.
    case another(TransferID, FollowTransfer.Result.Outcome)
    /// Nothing is done.
    case refused(String)
  }

  /// Returns one id for each spec: that of the transfer on the list, which takes over what the spec
  /// asks and is started if it stands still, or that of a new one.
  ///
  /// - Parameters:
  ///   - add: adds the others.
  ///   - report: called for each whose URL is on the list.
  func ids(
    for specs: [TransferSpec], adding add: ([TransferSpec]) async throws -> [TransferID],
    report: (Report) -> Void
  ) async throws -> Outcome {
    let urls = isWanted ? Set(specs.map(\.url.text)).sorted() : []
    let found = try await ListedURLs(service: service).find(urls)
    var known: [Int: TransferID] = [:]
    var refused: Set<Int> = []
    for (index, spec) in specs.enumerated() {
      guard let copy = found[spec.url.text],
        followsCompleted || copy.state != .completed
      else { continue }
      let said = try await follow(copy.id, as: spec)
      report(said)
      switch said {
      case .follows(let id, _): known[index] = id
      case .another: break
      case .refused: refused.insert(index)
      }
    }
    let new = specs.indices.filter { known[$0] == nil && !refused.contains($0) }
    let ids = new.isEmpty ? [] : try await add(new.map { specs[$0] })
    guard ids.count == new.count else { throw ControlError(.internalError, AddTransfers.name) }
    for (index, id) in zip(new, ids) { known[index] = id }
    return Outcome(ids: specs.indices.compactMap { known[$0] }, refusedCount: refused.count)
  }

  private func follow(_ id: TransferID, as spec: TransferSpec) async throws -> Report {
    let result = try await service.call(FollowTransfer.self, .init(id: id, transfer: spec))
    switch result.outcome {
    case .follows: return .follows(id, result.parts ?? [])
    case .otherFile, .transferGone, .fileGone, .fileChanged: return .another(id, result.outcome)
    case .tooLate, .mismatch, .unreadable:
      return .refused(Sentences.notFollowed(id, result, asked: spec))
    }
  }
}
