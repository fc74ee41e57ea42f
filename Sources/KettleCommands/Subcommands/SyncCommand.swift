import ArgumentParser
import KettleControl
import KettleModel
import KettleSocket

/// `kettle sync`
struct SyncCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Bring a collection up to date with its source.",
    usage: """
      kettle sync [<id> ...] [--all] [--dry-run] [--delete] [--json]
             kettle sync [<id> ...] [--all] --every <time>
      """,
    discussion: """
      Reads the list of the source again, prints what is new, changed or gone, and fetches what is \
      new or changed. It does not wait for these files; "kettle wait" does. A changed file is \
      fetched as a whole, and the earlier one goes to the bin. Files that are gone stay, unless \
      --delete moves them to the bin.

      A file counts as changed if the source gives another digest, or, without one, another size, \
      date or ETag.

      Programs should use --json: an array of objects with collection, change (new, changed or \
      gone), path and byteCount.

      Examples:
        kettle sync 12 --dry-run     show what would be fetched
        kettle sync 12 && kettle wait 12
        kettle sync 12 --every 1d    from now on each day; --every never ends that
      """)

  static var repeatedType: (any ExpressibleByArgument.Type)? { TransferID.self }

  @Argument(
    help: ArgumentHelp(
      "The id of a collection, as shown by \"kettle collections\".", valueName: "id"),
    completion: .asking(.transfers))
  var idRuns: [ValueRun<TransferID>] = []

  @Flag(help: "All collections.")
  var all = false

  @Flag(help: "Only print what would be fetched or deleted.")
  var dryRun = false

  @Flag(help: "Move files that the source no longer lists to the bin.")
  var delete = false

  @Option(
    help: ArgumentHelp(
      "Repeat this after each 12h or 7d, for example; \"never\" ends that. Nothing is deleted.",
      valueName: "time"))
  var every: String?

  @Flag(help: "Print JSON.")
  var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    let wish = try every.map(Self.wish)
    let unused = [dryRun ? "--dry-run" : nil, delete ? "--delete" : nil, json ? "--json" : nil]
    if wish != nil, let option = unused.compactMap(\.self).first {
      throw UsageError(.command(.everyAlone(option: option)))
    }
    return try await context.withService(for: "kettle sync") { service in
      let ids = try await selected(over: service)
      if let wish {
        for id in ids {
          _ = try await service.call(SyncCollection.self, .init(id: id, wish))
          try context.console.printLine(Sentences.synced(id, every: every ?? ""))
        }
        return .done
      }
      var run = try SyncRun(
        dryRun: dryRun, removesGone: delete, printsJSON: json, service: service, context: context)
      return try await run.sync(ids)
    }
  }

  private static func wish(_ every: String) throws(UsageError) -> SyncCollection.Wish {
    if every == "never" { return .every(milliseconds: nil) }
    guard let milliseconds = TimeText.milliseconds(every),
      milliseconds >= SyncCollection.everyMillisecondsMin
    else { throw UsageError(.value(.period(every))) }
    return .every(milliseconds: milliseconds)
  }

  private func selected(over service: any ServiceCalling) async throws -> [TransferID] {
    let ids = idRuns.flatMap(\.values)
    guard all else {
      guard !ids.isEmpty else { throw UsageError(.command(.neitherIDsNorAll(command: "sync"))) }
      return ids
    }
    guard ids.isEmpty else { throw UsageError(.command(.bothIDsAndAll(command: "sync"))) }
    let rows = try await ListReader(
      service: service, filter: RowFilter(membership: .collections)
    ).all()
    return rows.filter { $0.collection?.sync == nil && $0.collection?.memberCount != nil }
      .map(\.id)
  }
}

/// Waits until the service has read the list of a collection.
struct ListWait {
  let service: any ServiceCalling
  let context: CommandContext
  private static let intervalMilliseconds: Int64 = 200

  /// Returns the row when the list is complete, or why it is not.
  func end(
    of id: TransferID, _ progress: inout CommandProgress
  ) async throws -> Result<TransferSnapshot, ListFailure> {
    while true {
      let row = try await service.call(DescribeTransfer.self, .init(id: id)).snapshot
      switch row.state {
      case .paused where row.collection?.memberCount != nil, .completed: return .success(row)
      case .failed, .idle, .paused: return .failure(ListFailure(row: row))
      case .waiting where row.reason?.needsUser == true: return .failure(ListFailure(row: row))
      case .queued, .scheduled, .running, .verifying, .waiting: break
      }
      progress.show(
        .listing(name: row.collection?.name ?? row.url), at: context.clock.now().monotonic)
      await context.clock.wait(milliseconds: Self.intervalMilliseconds)
    }
  }

  func remove(_ id: TransferID) async throws {
    _ = try await service.call(
      ControlTransfers.self, .init(control: .remove, selection: .ids([id])))
  }
}

/// A list that could not be read.
struct ListFailure: Error {
  var row: TransferSnapshot

  var sentence: String {
    row.complaint ?? Sentences.needsUser(row)
  }
}

/// Reads lists again, prints the differences, and has the collections brought up to date.
private struct SyncRun {
  let dryRun: Bool
  let removesGone: Bool
  let service: any ServiceCalling
  let context: CommandContext
  private let wait: ListWait
  private var printer: JSONArrayPrinter?
  private var progress: CommandProgress

  init(
    dryRun: Bool, removesGone: Bool, printsJSON: Bool, service: any ServiceCalling,
    context: CommandContext
  ) throws {
    self.dryRun = dryRun
    self.removesGone = removesGone
    self.service = service
    self.context = context
    wait = ListWait(service: service, context: context)
    printer = printsJSON ? try JSONArrayPrinter(on: context.console) : nil
    progress = CommandProgress(
      on: context.console, at: context.clock.now().monotonic, endsBeforeOutput: true)
  }

  mutating func sync(_ ids: [TransferID]) async throws -> ExitCode {
    var lists: [(collection: TransferID, list: TransferID)] = []
    for id in ids {
      let answer = try await service.call(
        SyncCollection.self, .init(id: id, .now(removesGone: removesGone, pauses: true)))
      if let list = answer.list { lists.append((id, list)) }
    }
    var code = ExitCode.done
    for (collection, list) in lists {
      switch try await wait.end(of: list, &progress) {
      case .success: try await end(collection, list)
      case .failure(let failure):
        progress.end()
        context.console.printError(failure.sentence)
        try await wait.remove(list)
        code = .transferFailed
      }
    }
    progress.end()
    try printer?.end()
    return code
  }

  /// Prints the differences, and has the service take them over.
  private mutating func end(_ collection: TransferID, _ list: TransferID) async throws {
    progress.end()
    var sums: [MemberChange: MemberSum] = [:]
    for change in MemberChange.allCases {
      sums[change] = try await print(change, of: collection, in: list)
    }
    if printer == nil {
      context.console.printNote(
        Sentences.synced(collection, sums, removesGone: removesGone, dryRun: dryRun))
    }
    if dryRun { return try await wait.remove(list) }
    _ = try await service.call(
      ControlTransfers.self, .init(control: .start, selection: .ids([list])))
    // The service removes it when the collection is up to date.
    while true {
      do {
        _ = try await service.call(DescribeTransfer.self, .init(id: list))
      } catch let error as ControlError where error.code == .unknownTransfer {
        return
      }
      progress.show(.syncing(collection), at: context.clock.now().monotonic)
      await context.clock.wait(milliseconds: 100)
    }
  }

  private mutating func print(
    _ change: MemberChange, of collection: TransferID, in list: TransferID
  ) async throws -> MemberSum {
    var from: Int64 = 0
    var sum = MemberSum()
    while true {
      let page = try await service.call(
        CompareCollection.self, .init(id: collection, list: list, change: change, from: from))
      sum = page.sum ?? sum
      guard let last = page.files.last else { return sum }
      if printer != nil {
        try printer?.print(page.files.map { Self.json($0, change, of: collection) })
      } else {
        let lines = page.files.map { Sentences.line(of: $0, change) + "\n" }
        try context.console.write(lines.joined(), to: .output)
      }
      from = last.number + 1
    }
  }

  private static func json(
    _ file: ChangedMember, _ change: MemberChange, of collection: TransferID
  ) -> JSONValue {
    .object([
      .init("collection", .integer(collection.rawValue)),
      .init("change", .string(change.rawValue)), .init("path", .string(file.path.text)),
      .init("byteCount", .integer(orNull: file.byteCount)),
    ])
  }
}
