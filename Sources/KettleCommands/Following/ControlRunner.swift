import KettleControl
import KettleModel
import KettleSocket

/// Sends a control and prints the result.
struct ControlRunner {
  let verb: ControlVerb
  let selection: TransferSelection
  let context: CommandContext

  func run() async throws -> ExitCode {
    try await context.withService(for: "kettle \(commandName)") { service in
      var result = try await service.call(
        ControlTransfers.self, .init(control: verb, selection: selection))
      if verb.isMetByCompletion {
        let completed = result.refused.filter { $0.why == .completed }
        result.refused.removeAll { $0.why == .completed }
        for one in completed { context.console.printNote(Sentences.isDone(one.id)) }
        if case .ids = selection, result.applied.isEmpty, result.refused.isEmpty { return .done }
      }
      try await report(result, over: service)
      return Self.exitCode(of: result)
    }
  }

  /// Applies what was decided for the transfers to their hosts.
  func remember() async throws -> ExitCode {
    try await ControlRunner(verb: .remember, selection: selection, context: context).run()
  }

  /// Starts one transfer with a new link, or with its own if `link` is nil.
  ///
  /// - Parameter login: takes precedence over a login in the link.
  func run(
    relinking id: TransferID, to link: TransferURL.Parsed?, login: Login?
  ) async throws -> ExitCode {
    try await context.withService(for: "kettle \(commandName)") { service in
      let link = if let link { link } else { try await Self.ownLink(of: id, over: service) }
      let relinked = TransferURL.Parsed(url: link.url, login: login ?? link.login)
      return try await run(RelinkTransfer.self, .init(id: id, link: relinked), over: service)
    }
  }

  private static func ownLink(
    of id: TransferID, over service: any ServiceCalling
  ) async throws -> TransferURL.Parsed {
    let url = try await service.call(DescribeTransfer.self, .init(id: id)).snapshot.url
    switch TransferURL.parse(url) {
    case .success(let link): return link
    case .failure(let why): throw UsageError(.url(url, why))
    }
  }

  private func run<Method: ControlMethod>(
    _ method: Method.Type, _ params: Method.Params, over service: any ServiceCalling
  ) async throws -> ExitCode where Method.Result == ControlTransfers.Result {
    let result = try await service.call(method, params)
    try await report(result, over: service)
    return Self.exitCode(of: result)
  }

  private var commandName: String {
    switch verb {
    case .start, .pause, .stop, .accept, .remember, .verify, .repair, .remove: verb.rawValue
    case .startFresh: "start"
    case .removeWithFile: "remove"
    }
  }

  private func report(
    _ result: ControlTransfers.Result, over service: any ServiceCalling
  ) async throws {
    switch selection {
    case .all, .matching:
      try context.console.printLine(
        Sentences.did(verb, count: result.applied.count, result.bin, clock: context.clock))
    case .ids:
      guard result.applied.count <= Self.describedCountMax else {
        try printApplied(result)
        break
      }
      for id in result.applied {
        let words =
          result.keepsFile(of: id)
          ? Sentences.did(.remove, id) : try await words(for: id, service)
        try context.console.printLine(words)
      }
      if let bin = result.bin {
        context.console.printNote(Sentences.of(bin, after: verb, context.clock))
      }
    }
    for file in result.keptFiles ?? [] { context.console.printError(Sentences.kept(file)) }
    for refusal in result.refused { context.console.printError(Sentences.of(refusal)) }
  }

  /// Prints a line for each of many transfers, without asking the service about each.
  private func printApplied(_ result: ControlTransfers.Result) throws {
    let keepingFile = Set((result.keptFiles ?? []).map(\.id))
    let lines = result.applied.map { id in
      Sentences.did(keepingFile.contains(id) ? .remove : verb, id) + "\n"
    }
    try context.console.write(lines.joined(), to: .output)
  }

  /// More transfers are not described one by one.
  private static let describedCountMax = 100
  /// How long the answer of the server is waited for: two seconds.
  private static let answerWaitsMax = 20
  private static let answerWaitMilliseconds: Int64 = 100

  /// Returns the sentence for the result. After a start it says whether the transfer resumes or
  /// starts over, which only the transfer knows.
  private func words(for id: TransferID, _ service: any ServiceCalling) async throws -> String {
    guard verb == .start else { return Sentences.did(verb, id) }
    do {
      var details = try await service.call(DescribeTransfer.self, .init(id: id))
      for _ in 0..<Self.answerWaitsMax where details.awaitsAnswer == true {
        await context.clock.wait(milliseconds: Self.answerWaitMilliseconds)
        details = try await service.call(DescribeTransfer.self, .init(id: id))
      }
      return Sentences.started(details)
    } catch let error as ControlError where error.code == .unknownTransfer {
      return Sentences.did(verb, id)
    }
  }

  /// Returns 2 when nothing was done because every id is unknown. Returns 1 when only some
  /// transfers were changed, their state forbids the control, or a file stayed.
  static func exitCode(of result: ControlTransfers.Result) -> ExitCode {
    if result.refused.isEmpty {
      return result.keptFiles?.isEmpty == false ? .transferFailed : .done
    }
    let areUnknown = result.refused.allSatisfy { $0.why == .unknown }
    return result.applied.isEmpty && areUnknown ? .refused : .transferFailed
  }
}

extension ControlTransfers.Result {
  fileprivate func keepsFile(of id: TransferID) -> Bool {
    keptFiles?.contains { $0.id == id } ?? false
  }
}

extension ControlVerb {
  /// Whether a completed transfer has what is asked, so that there is nothing to do.
  fileprivate var isMetByCompletion: Bool {
    switch self {
    case .start, .pause, .stop: true
    // A finished file is not fetched again.
    case .startFresh: false
    case .accept, .remember, .verify, .repair, .remove, .removeWithFile: false
    }
  }
}

/// Reads the list window by window, whatever its length.
struct ListReader {
  let service: any ServiceCalling
  var filter = RowFilter()
  var pageCount = ListReader.usualPageCount
  /// The machine that rows get, if the service does not name one.
  var machine: String?

  /// While the service reads a window from the store, others wait for the store.
  static let usualPageCount = 1000

  /// Passes each transfer once, and leaves out none that was on the list throughout.
  ///
  /// Between two windows transfers may leave the list or stop matching the filter, and the ones
  /// after them move up. The next window then starts that much earlier, and transfers already seen
  /// are skipped.
  ///
  /// - Returns: The totals that came with the last window.
  @discardableResult
  func forEachPage(_ body: ([TransferSnapshot]) throws -> Void) async throws -> Totals {
    var totals = Totals()
    var seen: Set<TransferID> = []
    var first = 0
    var matchingCount = 0
    repeat {
      let window = try await service.call(
        ListTransfers.self, Viewport(filter: filter, first: first, count: pageCount))
      totals = window.totals
      if first > 0, window.matchingCount < matchingCount {
        // Request again, with room for everything that may have moved up.
        first = max(0, first - (matchingCount - window.matchingCount))
        matchingCount = window.matchingCount
        continue
      }
      matchingCount = window.matchingCount
      guard !window.rows.isEmpty else { break }
      try body(window.rows.filter { seen.insert($0.id).inserted }.map(named))
      first += window.rows.count
    } while first < matchingCount
    return totals
  }

  private func named(_ row: TransferSnapshot) -> TransferSnapshot {
    var row = row
    row.machine = row.machine ?? machine
    return row
  }

  func all() async throws -> [TransferSnapshot] {
    var rows: [TransferSnapshot] = []
    try await forEachPage { rows += $0 }
    return rows
  }
}

/// The outcome of a transfer, for commands that wait for it.
enum TransferOutcome: Hashable, Sendable {
  /// It continues by itself, or when the client that paused it starts it again.
  case unfinished
  case completed
  case failed(String)
  /// Waiting is useless: nothing happens until the user acts.
  case needsUser(String)
  /// Listed but not started, or stopped after a start.
  case idle

  init(_ row: TransferSnapshot) {
    switch row.state {
    case .completed: self = .completed
    case .failed: self = .failed(Sentences.failed(row))
    case .idle: self = .idle
    case .waiting:
      self =
        row.reason?.needsUser == true || row.collection?.waitsForUser == true
        ? .needsUser(Sentences.needsUser(row)) : .unfinished
    case .scheduled, .queued, .running, .paused, .verifying: self = .unfinished
    }
  }
}
