import ArgumentParser
import KettleControl
import KettleModel

/// `kettle verify`
struct VerifyCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Compare files with a list of checksums, a Metalink or a torrent.",
    discussion: """
      The files need not be from Kettle, and no service is asked. Names in the manifest are \
      below its own directory, or below the directory that is given. With files, only these are \
      compared. What is damaged is named with its bytes if the manifest has digests of pieces.

      Programs should use --json: an array of objects with path, result (right, damaged, missing, \
      notAFile or unreadable), byteCount, expectedByteCount, damaged (an array of objects with \
      first and last, both inclusive), wrong (the algorithms whose digest differs) and detail.

      Exits with 0 if every file is right, and with 1 otherwise.

      Examples:
        kettle verify --manifest SHA256SUMS
        kettle verify --manifest archive.torrent ~/Downloads
        kettle verify --manifest disk.iso.meta4 disk.iso
      """)

  static var isForThisMachineOnly: Bool { true }
  static var repeatedType: (any ExpressibleByArgument.Type)? { String.self }

  @Option(
    help: ArgumentHelp(
      "A list such as SHA256SUMS, a Metalink (.meta4) or a torrent.", valueName: "file"),
    completion: .file())
  var manifest: String

  @Argument(
    help: ArgumentHelp("The directory of the files, or the files to compare.", valueName: "path"))
  var pathRuns: [ValueRun<String>] = []

  @Flag(help: "Print JSON.")
  var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    try ManifestCheck(
      manifest: manifest, paths: pathRuns.flatMap(\.values), printsJSON: json, context: context
    ).run()
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
