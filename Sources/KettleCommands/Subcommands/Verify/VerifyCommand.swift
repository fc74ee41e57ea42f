import ArgumentParser
import KettleControl
import KettleModel

/// `kettle verify`
struct VerifyCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Compare finished files with what was downloaded.",
    usage: """
      kettle verify [<id|path> ...] [--all] [--since <time>] [--json]
             kettle verify --manifest <file> [<path> ...] [--json]
      """,
    discussion: """
      While a file arrives, the service keeps a digest of each MiB of it. This command reads the \
      file again and compares it: it finds bit rot, missing ends, edits and missing files, and \
      says which bytes differ. "kettle repair" fetches those again. A file without such digests, \
      such as an imported one, is compared with its checksum if it has one, and has digests from \
      then on.

      With --manifest, files are compared with a list such as SHA256SUMS, a Metalink or a torrent. \
      They need not be from Kettle, and no service is asked. Names in the manifest are below its \
      own directory, or below the directory that is given; with files, only these are compared. \
      What is damaged is named with its bytes if the manifest has digests of pieces.

      Programs should use --json: an array of objects with path, result, damaged (an array of \
      objects with first and last, both inclusive) and detail. result is intact, damaged, edited, \
      missing, unproved or unreadable; with --manifest right, damaged, missing, notAFile or \
      unreadable.

      Exits with 0 if every file is right, and with 1 otherwise.

      Examples:
        kettle verify 3
        kettle verify ~/Downloads/debian.iso
        kettle verify --all --since 30d     those that were not compared for 30 days
        kettle verify --manifest SHA256SUMS
        kettle verify --manifest archive.torrent ~/Downloads
      """)

  static var worksOnFleet: Bool { true }

  static var repeatedType: (any ExpressibleByArgument.Type)? { String.self }

  @Argument(
    help: ArgumentHelp(
      "The id of a transfer, or the path of its file; with --manifest files or their directory.",
      valueName: "id|path"),
    completion: .asking(.transfers))
  var nameRuns: [ValueRun<String>] = []

  @Flag(help: "All finished files of the list.")
  var all = false

  @Option(
    help: ArgumentHelp(
      "Leave out files that were compared within this time, such as 12h or 30d.",
      valueName: "time"))
  var since: String?

  @Option(
    help: ArgumentHelp(
      "A list such as SHA256SUMS, a Metalink (.meta4) or a torrent.", valueName: "file"),
    completion: .file())
  var manifest: String?

  @Flag(help: "Print JSON.")
  var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    let names = nameRuns.flatMap(\.values)
    if let manifest {
      guard context.host == nil else {
        throw UsageError(.command(.notOverHost(command: "verify --manifest")))
      }
      return try ManifestCheck(
        manifest: manifest, paths: names, printsJSON: json, context: context
      ).run()
    }
    return try await VerificationRunner(
      consequence: .report, ageMaxMilliseconds: try ageMaxMilliseconds(),
      files: FinishedFiles(names: names, all: all), printsJSON: json, context: context
    ).run(as: "verify")
  }

  private func ageMaxMilliseconds() throws(UsageError) -> Int64 {
    guard let since else { return 0 }
    guard let milliseconds = TimeText.milliseconds(since) else {
      throw UsageError(.value(.age(since)))
    }
    return milliseconds
  }
}

/// How many files were right, and how many not.
struct CheckCounts: Hashable {
  var rightCount = 0
  var damagedCount = 0
  var missingCount = 0
  var unreadableCount = 0

  var wrongCount: Int { damagedCount + missingCount + unreadableCount }

  mutating func count(_ standing: ManifestStanding, _ entry: Manifest.Entry) {
    switch standing {
    case .missing: missingCount += 1
    case .notAFile, .unreadable: unreadableCount += 1
    case .read where standing.matches(entry): rightCount += 1
    case .read: damagedCount += 1
    }
  }
}

extension ManifestStanding {
  func json(of task: ManifestCheck.Task) -> JSONValue {
    let result: String
    var detail: String?
    var found: Comparison?
    switch self {
    case .missing: result = "missing"
    case .notAFile: result = "notAFile"
    case .unreadable(let why):
      result = "unreadable"
      detail = why
    case .read(let comparison):
      result = matches(task.entry) ? "right" : "damaged"
      found = comparison
    }
    return .object([
      .init("path", .string(task.path)), .init("result", .string(result)),
      .init("byteCount", .integer(orNull: found?.byteCount)),
      .init("expectedByteCount", .integer(orNull: task.entry.byteCount)),
      .init("damaged", .array((found?.damaged.ranges ?? []).map(\.json))),
      .init("wrong", .array((found?.wrong ?? []).map { .string($0.algorithm.rawValue) })),
      .init("detail", .string(orNull: detail)),
    ])
  }
}

extension ByteRange {
  fileprivate var json: JSONValue {
    .object([.init("first", .integer(lower)), .init("last", .integer(lastByte))])
  }
}
