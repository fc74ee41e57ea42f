import ArgumentParser
import KettleControl
import KettleDashboard
import KettleModel
import KettleSocket

/// `kettle collections`
struct CollectionsCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "collections",
    abstract: "Show your collections: folders, models and datasets.",
    discussion: """
      A collection is one transfer with many files. Every control applies to all of them, and it is \
      completed when each of them is. "kettle list --collection ID" shows its files.

      Programs should use --json: the objects of "kettle list --json", whose member collection has \
      name, version, memberCount, completedCount, failedCount, runningCount and lastSync.

      Examples:
        kettle collections
        kettle add hf://org/model --include '*.safetensors' --to ~/models
        kettle add https://mirror.example.org/pub/data/ --depth 3
        kettle add https://example.org/release/SHA256SUMS
        kettle list --collection 12
        kettle sync 12 --dry-run
        kettle manifest 12
      """)

  @Flag(help: "Print JSON.")
  var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    try await context.withService(for: "kettle collections") { service in
      let rows = ListReader(service: service, filter: RowFilter(membership: .collections))
      // The user did not add the lists that are read again.
      let collections = try await rows.all().filter { $0.collection?.sync == nil }
      if json {
        var printer = try JSONArrayPrinter(on: context.console)
        try printer.print(collections.map(\.json))
        try printer.end()
        return .done
      }
      if collections.isEmpty { context.console.printNote(Sentences.noCollections) }
      for row in collections {
        try context.console.printLine(Sentences.collection(row, context.clock))
      }
      return .done
    }
  }
}

/// Prints the files of collections that were not fetched yet (`kettle add --dry-run`).
struct CollectionPreview {
  let service: any ServiceCalling
  let context: CommandContext
  let printsJSON: Bool

  /// Reads the lists, prints them and removes the transfers that have read them.
  func show(_ specs: [TransferSpec]) async throws -> ExitCode {
    var printer = printsJSON ? try JSONArrayPrinter(on: context.console) : nil
    var progress = CommandProgress(
      on: context.console, at: context.clock.now().monotonic, endsBeforeOutput: true)
    let lists = CollectionLists(service: service, context: context)
    var code = ExitCode.done
    for spec in specs {
      let isRead = try await lists.read(spec, &progress) { row, progress in
        progress.end()
        try await print(row, &printer)
      }
      if !isRead { code = .transferFailed }
    }
    try printer?.end()
    return code
  }

  private func print(_ row: TransferSnapshot, _ printer: inout JSONArrayPrinter?) async throws {
    var sum = MemberSum()
    try await MemberReader(service: service).forEachPage(of: row.id) { page in
      for one in page { sum.add(one.member) }
      if printer != nil { return try printer?.print(page.map(\.json)) ?? () }
      let lines = page.map { Sentences.line(of: $0.member) + "\n" }
      try context.console.write(lines.joined(), to: .output)
    }
    guard printer == nil else { return }
    let free = try await service.call(ServiceStatus.self, Nothing()).totals.freeBytes
    context.console.printNote(Sentences.preview(sum, freeByteCount: free))
  }
}

/// Reads the lists of collections whose files the service does not fetch.
struct CollectionLists {
  let service: any ServiceCalling
  let context: CommandContext

  /// Has the service read a list, calls `body` with its transfer, and removes that. Prints why a
  /// list cannot be read, and returns whether it was.
  func read(
    _ spec: TransferSpec, _ progress: inout CommandProgress,
    use body: (TransferSnapshot, inout CommandProgress) async throws -> Void
  ) async throws -> Bool {
    var spec = spec
    spec.options.collection?.pausesWhenListed = true
    let added = try await service.call(AddTransfers.self, .init(transfers: [spec]))
    guard let id = added.ids.first else { return true }
    let wait = ListWait(service: service, context: context)
    var isRead = false
    do {
      switch try await wait.end(of: id, &progress) {
      case .success(let row):
        try await body(row, &progress)
        isRead = true
      case .failure(let failure):
        progress.end()
        context.console.printError(failure.sentence)
      }
    } catch {
      try? await wait.remove(id)
      throw error
    }
    try await wait.remove(id)
    return isRead
  }
}

/// Reads the list of a collection, page by page.
struct MemberReader {
  let service: any ServiceCalling

  func forEachPage(
    of id: TransferID, _ body: ([NumberedMember]) async throws -> Void
  ) async throws {
    var from: Int64 = 0
    while true {
      let page = try await service.call(ListMembers.self, .init(id: id, from: from)).members
      guard let last = page.last else { return }
      try await body(page)
      from = last.number + 1
    }
  }
}

extension NumberedMember {
  fileprivate var json: JSONValue {
    .object([
      .init("path", .string(member.path.text)), .init("url", .string(member.url.text)),
      .init("byteCount", .integer(orNull: member.byteCount)),
      .init("checksum", .string(orNull: member.checksum?.text)),
    ])
  }
}

/// `kettle manifest`
struct ManifestCommand: RunnableCommand {
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case sha256sums, sha512sums, sha1sums, md5sums, jsonl

    var algorithm: Checksum.Algorithm? {
      switch self {
      case .sha256sums: .sha256
      case .sha512sums: .sha512
      case .sha1sums: .sha1
      case .md5sums: .md5
      case .jsonl: nil
      }
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "manifest",
    abstract: "Print the files of a collection with their digests.",
    discussion: """
      Another machine compares its copy with this list: "kettle verify --manifest FILE", or \
      sha256sum -c. SHA-256 digests from the source are printed unchanged. For the other files they \
      are computed, which reads them; a file that does not have the digest that the source gave is \
      an error. Files that are not complete are left out with a message.

      The format jsonl has path, url, size and the digest that the source gave. "kettle add" \
      fetches such a list again.

      Exits with 1 if a file was left out.

      Examples:
        kettle manifest 12 > SHA256SUMS
        kettle manifest 12 --format jsonl > list.jsonl
      """)

  @Argument(
    help: ArgumentHelp(
      "The id of a collection, as shown by \"kettle collections\".", valueName: "id"),
    completion: .asking(.transfers))
  var id: TransferID

  @Option(help: "sha256sums, sha512sums, sha1sums, md5sums or jsonl.")
  var format = Format.sha256sums

  func run(in context: CommandContext) async throws -> ExitCode {
    if format != .jsonl, context.host != nil {
      throw UsageError(.command(.notOverHost(command: "manifest")))
    }
    return try await context.withService(for: "kettle manifest") { service in
      let row = try await service.call(DescribeTransfer.self, .init(id: id)).snapshot
      guard row.collection?.memberCount != nil else {
        throw ControlError(.unknownCollection, id.description)
      }
      let reader = MemberReader(service: service)
      guard let algorithm = format.algorithm else {
        try await reader.forEachPage(of: id) { page in
          try context.console.write(
            page.map { $0.member.line.text + "\n" }.joined(), to: .output)
        }
        return .done
      }
      var paths: [Int64: String] = [:]
      let complete = ListReader(
        service: service, filter: RowFilter(states: [.completed], membership: .of(id)))
      try await complete.forEachPage { rows in
        for row in rows { if let member = row.member { paths[member.number] = row.path } }
      }
      var sums = SumPrinter(algorithm: algorithm, context: context)
      try await reader.forEachPage(of: id) { page in
        for one in page { try sums.print(one.member, at: paths[one.number]) }
      }
      return sums.leftOutCount == 0 ? .done : .transferFailed
    }
  }
}

extension ListedMember {
  /// The line of a list with a JSON object on each line, as `kettle add` reads it.
  fileprivate var line: JSONValue {
    var members: [JSONValue.Member] = [
      .init("path", .string(path.text)), .init("url", .string(url.text)),
    ]
    if let byteCount { members.append(.init("size", .integer(byteCount))) }
    if let checksum {
      members.append(.init(checksum.algorithm.rawValue, .string(checksum.hex)))
    }
    return .object(members)
  }
}

/// Prints the digest of each file in the format of sha256sum(1).
private struct SumPrinter {
  let algorithm: Checksum.Algorithm
  let context: CommandContext
  private(set) var leftOutCount = 0
  private var progress: CommandProgress

  init(algorithm: Checksum.Algorithm, context: CommandContext) {
    self.algorithm = algorithm
    self.context = context
    progress = CommandProgress(
      on: context.console, at: context.clock.now().monotonic, endsBeforeOutput: true)
  }

  /// - Parameter path: where the file is; nil if it is not complete.
  mutating func print(_ member: ListedMember, at path: String?) throws {
    guard let path else { return leaveOut(Sentences.notInManifest(member.path)) }
    let hex: String
    if let listed = member.checksum, listed.algorithm == algorithm {
      hex = listed.hex
    } else {
      switch computed(member, path) {
      case .success(let found): hex = found
      case .failure(let why): return leaveOut(why.sentence)
      }
    }
    progress.end()
    // A path from a list has no line breaks and no backslashes, which sha256sum(1) would escape.
    try context.console.printLine("\(hex)  \(member.path.text)")
  }

  private struct Unproved: Error {
    var sentence: String
  }

  private mutating func computed(
    _ member: ListedMember, _ path: String
  ) -> Result<String, Unproved> {
    // No file has this digest, so the comparison says which one it has.
    let zeros = String(repeating: "0", count: algorithm.hexDigitCount)
    let none = Checksum("\(algorithm.rawValue):\(zeros)")
    let entry = Manifest.Entry(
      byteCount: member.byteCount,
      checksums: [none, member.checksum].compactMap(\.self))
    var readByteCount: Int64 = 0
    let standing = context.compareWithManifest(path, entry) { count in
      readByteCount += count
      progress.show(
        .compared(readByteCount, of: member.byteCount, name: member.path.text),
        at: context.clock.now().monotonic)
      return true
    }
    let task = ManifestCheck.Task(name: member.path.text, path: path, entry: entry)
    guard case .read(var found) = standing else {
      return .failure(Unproved(sentence: Sentences.of(standing, of: task)))
    }
    found.wrong.removeAll { $0 == none }
    guard found.byteCount == member.byteCount ?? found.byteCount, found.wrong.isEmpty,
      let digest = found.inPlaceOfWrong.first(where: { $0.algorithm == algorithm })
    else { return .failure(Unproved(sentence: Sentences.of(.read(found), of: task))) }
    return .success(digest.hex)
  }

  private mutating func leaveOut(_ sentence: String) {
    leftOutCount += 1
    progress.end()
    context.console.printError(sentence)
  }
}
