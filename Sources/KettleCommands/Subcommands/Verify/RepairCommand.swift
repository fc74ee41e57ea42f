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

  static var worksOnFleet: Bool { true }

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
      let all = try await ids(in: filter, service)
      if context.isFleet { return all }
      let collections = Set(try await ids(in: RowFilter(membership: .collections), service))
      return all.filter { !collections.contains($0) }
    }
    guard !names.isEmpty else {
      throw UsageError(.command(.neitherIDsNorAll(command: command)))
    }
    var ids: [TransferID] = []
    for name in names {
      if let id = TransferID(argument: name) {
        let members = RowFilter(states: [.completed], membership: .of(id))
        // In the queue of a fleet, no transfer is a collection.
        let found = context.isFleet ? [] : try await self.ids(in: members, service)
        ids += found.isEmpty ? [id] : found
      } else {
        ids.append(try await id(ofFileAt: name, service, in: context))
      }
    }
    return ids
  }

  private func ids(
    in filter: RowFilter, _ service: any ServiceCalling
  ) async throws -> [TransferID] {
    try await service.call(ListIDs.self, .init(filter: filter)).runs.ids
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

/// Has the service compare files, shows how far it is, and prints the results.
struct VerificationRunner {
  let consequence: VerificationConsequence
  /// A file that was compared within this time is not compared again.
  var ageMaxMilliseconds: Int64 = 0
  let files: FinishedFiles
  let printsJSON: Bool
  let context: CommandContext

  private static let intervalMilliseconds: Int64 = 200

  func run(as command: String) async throws -> ExitCode {
    try await context.withService(for: "kettle \(command)") { service in
      let ids = try await files.ids(for: command, service, in: context)
      var results = try VerificationResults(fileCount: ids.count, printsJSON, on: context)
      // The time by the clock of the service, which may be another machine's.
      var since: WallTime?
      var rest = ids[...]
      while !rest.isEmpty {
        var open = Array(rest.prefix(VerifyTransfers.idCountMax))
        rest = rest.dropFirst(open.count)
        while !open.isEmpty {
          let answer = try await service.call(
            VerifyTransfers.self,
            .init(
              ids: open, since: since, ageMaxMilliseconds: ageMaxMilliseconds,
              consequence: consequence))
          since = answer.since
          open = try await results.note(open, answer.progress, over: service)
          if !open.isEmpty {
            await context.clock.wait(milliseconds: Self.intervalMilliseconds)
          }
        }
      }
      return try results.end()
    }
  }
}

/// The results of a list of files, printed as they arrive.
private struct VerificationResults {
  private let fileCount: Int
  private let context: CommandContext
  private var printer: JSONArrayPrinter?
  private var progress: CommandProgress
  private var counts: [FileCheck.Finding: Int] = [:]
  /// The transfer that repairs each file.
  private var repairs: [TransferID: TransferID] = [:]
  private var refusedCount = 0
  private var badCount = 0

  init(fileCount: Int, _ printsJSON: Bool, on context: CommandContext) throws {
    self.fileCount = fileCount
    self.context = context
    printer = printsJSON ? try JSONArrayPrinter(on: context.console) : nil
    progress = CommandProgress(
      on: context.console, at: context.clock.now().monotonic, endsBeforeOutput: true)
  }

  /// Prints the results of the files that are done. Returns the files that are not.
  mutating func note(
    _ ids: [TransferID], _ answers: [VerificationProgress], over service: any ServiceCalling
  ) async throws -> [TransferID] {
    var open: [TransferID] = []
    for (id, answer) in zip(ids, answers) {
      switch answer {
      case .waiting: open.append(id)
      case .comparing(let byteCount):
        let number = counts.values.reduce(refusedCount, +) + 1
        show(.comparing(id, upTo: byteCount, number: number, of: fileCount))
        open.append(id)
      case .repairing(let repair):
        // The disk did not keep the repaired bytes, so another repair would not last either.
        guard repairs[id, default: repair] == repair else {
          badCount += 1
          progress.end()
          context.console.printError(Sentences.damagedAgain(id))
          continue
        }
        repairs[id] = repair
        show(.repairing(id, by: repair))
        open.append(id)
      case .ended(let check): try await print(check, of: id, over: service)
      case .unrepaired(let check, let failure):
        try await print(check, of: id, over: service)
        context.console.printError(Sentences.notRepaired(id, failure))
      case .refused:
        refusedCount += 1
        progress.end()
        context.console.printError(Sentences.nothingToCompare(id))
      }
    }
    return open
  }

  private mutating func show(_ step: CommandProgress.Step) {
    progress.show(step, at: context.clock.now().monotonic)
  }

  private mutating func print(
    _ check: FileCheck, of id: TransferID, over service: any ServiceCalling
  ) async throws {
    counts[check.finding, default: 0] += 1
    if check.isBad { badCount += 1 }
    let row = try await service.call(DescribeTransfer.self, .init(id: id)).snapshot
    progress.end()
    if printer != nil {
      try printer?.print([check.json(of: row)])
    } else {
      try context.console.printLine(Sentences.compared(row, check))
    }
  }

  /// Prints the summary, and returns the exit code.
  mutating func end() throws -> ExitCode {
    progress.end()
    try printer?.end()
    if printer == nil, fileCount > 1 {
      try context.console.printLine(
        Sentences.compared(fileCount, counts, refusedCount: refusedCount))
    }
    return badCount > 0 || refusedCount > 0 ? .transferFailed : .done
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
