import ArgumentParser
import KettleControl
import KettleDashboard
import KettleModel
import KettleSocket

/// `kettle repair`
struct RepairCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Fetch the damaged parts of finished files again.",
    discussion: """
      Compares each file as "kettle verify" does, fetches only the MiB that differ, and puts them \
      into the file when their digests prove that they are the right ones. Otherwise nothing is \
      changed. The file keeps its modification time.

      An edited file is left alone, because a repair would overwrite the edits; --force repairs \
      it anyway. A missing file is not downloaded again; use "kettle start --fresh" for that.

      Examples:
        kettle repair 3
        kettle repair ~/Downloads/debian.iso
        kettle repair --all
      """)

  static var repeatedType: (any ExpressibleByArgument.Type)? { String.self }

  @Argument(
    help: ArgumentHelp(
      "The id of a transfer, as shown by \"kettle list\", or the path of its file.",
      valueName: "id|path"),
    completion: .asking(.transfers))
  var nameRuns: [ValueRun<String>] = []

  @Flag(help: "All finished files of the list.")
  var all = false

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Also repair files that were edited.")
  var force = false

  func run(in context: CommandContext) async throws -> ExitCode {
    try await VerificationRunner(
      consequence: force ? .repairEvenIfEdited : .repair,
      files: FinishedFiles(names: nameRuns.flatMap(\.values), all: all), printsJSON: json,
      context: context
    ).run(as: "repair")
  }
}

/// The finished files that a command applies to.
struct FinishedFiles {
  /// Ids and paths.
  let names: [String]
  let all: Bool

  /// Returns the transfers of the files, in order.
  func ids(
    for command: String, _ service: any ServiceCalling, in context: CommandContext
  ) async throws -> [TransferID] {
    if all {
      guard names.isEmpty else { throw UsageError(.command(.bothIDsAndAll(command: command))) }
      let filter = RowFilter(states: [.completed], session: .kettle)
      return try await service.call(ListIDs.self, .init(filter: filter)).runs.ids
    }
    guard !names.isEmpty else {
      throw UsageError(.command(.neitherIDsNorAll(command: command)))
    }
    var ids: [TransferID] = []
    for name in names {
      if let id = TransferID(argument: name) {
        ids.append(id)
      } else {
        ids.append(try await id(ofFileAt: name, service, in: context))
      }
    }
    return ids
  }

  private func id(
    ofFileAt path: String, _ service: any ServiceCalling, in context: CommandContext
  ) async throws -> TransferID {
    let absolute = try context.currentDirectory.absolute(path)
    let name = absolute.split(separator: "/").last.map(String.init) ?? absolute
    var reader = ListReader(service: service)
    reader.filter = RowFilter(states: [.completed], text: name)
    guard let row = try await reader.all().last(where: { $0.path == absolute }) else {
      throw UsageError(.path(.notDownloaded(path)))
    }
    return row.id
  }
}

/// How long ago a comparison may be: a number with `m`, `h` or `d`.
struct VerificationAge {
  let milliseconds: Int64

  init(argument: String) throws(UsageError) {
    guard let milliseconds = TimeText.milliseconds(argument) else {
      throw UsageError(.value(.age(argument)))
    }
    self.milliseconds = milliseconds
  }
}

/// Has the service compare files, shows how far it is, and prints what it has found.
struct VerificationRunner {
  let consequence: VerificationConsequence
  var ageMax: VerificationAge?
  let files: FinishedFiles
  let printsJSON: Bool
  let context: CommandContext

  /// The files of one request.
  private static let requestedCountMax = 32
  private static let intervalMilliseconds: Int64 = 200

  private struct Tally {
    var counts: [FileCheck.Finding: Int] = [:]
    var refusedCount = 0
    var badCount = 0
    /// What `--json` prints.
    var objects: [JSONValue] = []
    var isBad: Bool { badCount > 0 || refusedCount > 0 }
  }

  func run(as command: String) async throws -> ExitCode {
    try await context.withService(for: "kettle \(command)") { service in
      let ids = try await files.ids(for: command, service, in: context)
      let now = context.clock.now().wall
      let since = now.advanced(byMilliseconds: -(ageMax?.milliseconds ?? 0))
      var tally = Tally()
      var rest = ids[...]
      while !rest.isEmpty {
        let page = Array(rest.prefix(Self.requestedCountMax))
        rest = rest.dropFirst(page.count)
        let done = ids.count - rest.count - page.count
        try await follow(
          page, at: Place(before: done, of: ids.count), since: since, over: service, into: &tally)
      }
      clearProgress()
      if printsJSON {
        try context.console.printLine(JSONValue.array(tally.objects).text)
      } else if ids.count > 1 {
        try context.console.printLine(
          Sentences.compared(ids.count, tally.counts, refusedCount: tally.refusedCount))
      }
      return tally.isBad ? .transferFailed : .done
    }
  }

  /// Where a page of files is among all.
  private struct Place {
    let before: Int
    let of: Int
  }

  private func follow(
    _ page: [TransferID], at place: Place, since: WallTime, over service: any ServiceCalling,
    into tally: inout Tally
  ) async throws {
    var open = page
    while !open.isEmpty {
      let answer = try await service.call(
        VerifyTransfers.self, .init(ids: open, since: since, consequence: consequence))
      var unended: [TransferID] = []
      for (id, progress) in zip(open, answer.progress) {
        switch progress {
        case .waiting: unended.append(id)
        case .comparing(let byteCount):
          show(.comparing(id, byteCount), at: place, endedCount: page.count - open.count)
          unended.append(id)
        case .repairing(let repair):
          show(.repairing(id, by: repair), at: place, endedCount: page.count - open.count)
          unended.append(id)
        case .ended(let check):
          tally.counts[check.finding, default: 0] += 1
          if check.isBad { tally.badCount += 1 }
          try await report(id, check, over: service, into: &tally)
        case .unrepaired(let check, let failure):
          tally.counts[check.finding, default: 0] += 1
          tally.badCount += 1
          try await report(id, check, over: service, into: &tally)
          context.console.printError(Sentences.notRepaired(id, failure))
        case .refused:
          tally.refusedCount += 1
          clearProgress()
          context.console.printError(Sentences.nothingToCompare(id))
        }
      }
      open = unended
      if !open.isEmpty {
        await context.clock.wait(milliseconds: Self.intervalMilliseconds)
      }
    }
  }

  private func report(
    _ id: TransferID, _ check: FileCheck, over service: any ServiceCalling,
    into tally: inout Tally
  ) async throws {
    clearProgress()
    let row = try await service.call(DescribeTransfer.self, .init(id: id)).snapshot
    guard !printsJSON else { return tally.objects.append(check.json(of: row)) }
    try context.console.printLine(Sentences.compared(row, check))
  }

  // MARK: Progress

  private enum Activity {
    case comparing(TransferID, Int64)
    case repairing(TransferID, by: TransferID)
  }

  private func show(_ activity: Activity, at place: Place, endedCount: Int) {
    guard context.console.isTerminal(.error) else { return }
    let text =
      switch activity {
      case .comparing(let id, let byteCount):
        Sentences.comparing(
          id, upTo: byteCount, number: place.before + endedCount + 1, of: place.of)
      case .repairing(let id, let repair): Sentences.repairing(id, by: repair)
      }
    try? context.console.write("\r\u{1B}[K" + text, to: .error)
  }

  private func clearProgress() {
    guard context.console.isTerminal(.error) else { return }
    try? context.console.write("\r\u{1B}[K", to: .error)
  }
}

extension FileCheck {
  /// The object that `verify --json` prints, always with all of these members.
  fileprivate func json(of row: TransferSnapshot) -> JSONValue {
    .object([
      .init("id", .integer(row.id.rawValue)), .init("path", .string(orNull: row.path)),
      .init("result", .string(finding.rawValue)), .init("at", .string(at.iso8601)),
      .init(
        "damaged",
        .array(
          (damaged?.ranges ?? []).map { range in
            .object([
              .init("first", .integer(range.lower)), .init("last", .integer(range.lastByte)),
            ])
          })),
      .init("detail", .string(orNull: detail)),
    ])
  }
}
