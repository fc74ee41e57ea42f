import ArgumentParser
import KettleControl
import KettleModel
import KettleSocket

/// `kettle add`
struct AddCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Queue downloads and print their ids.",
    discussion: """
      The service downloads them in the background; this command does not wait for them. If any \
      argument is invalid, an error is printed and nothing is queued. A URL that is on the list \
      already is fetched once more, and a message says so; "kettle get" follows its transfer \
      instead, and --on-conflict skip keeps the file that is there.

      Examples:
        kettle add https://example.org/disk.iso
        kettle add -d ~/isos --checksum sha256:… https://example.org/disk.iso
        kettle add -i urls.txt --limit 1.5M      a list: a URL per line, or # comments
        kettle add --mirror https://b.example/disk.iso https://a.example/disk.iso
        kettle add disk.iso.meta4                a Metalink: its files, all mirrors
        kettle add hf://org/model --to ~/models  see "kettle collections --help"
        grep -o 'https://[^"]*' page | kettle add -i -
        kettle add --not-before +2h --priority low https://example.org/big.tar
        kettle wait $(kettle add https://example.org/a https://example.org/b)
      """)

  static var worksOnFleet: Bool { true }

  static var repeatedType: (any ExpressibleByArgument.Type)? { String.self }

  @Argument(
    help: ArgumentHelp(
      "The URL to download (http, https, ftp, ftps or sftp), or a Metalink (.meta4) or torrent file.",
      valueName: "url"))
  var urlRuns: [ValueRun<String>] = []

  @Option(
    name: [.customShort("i"), .customLong("input")],
    help: ArgumentHelp(
      "A list of URLs, one per line; - reads standard input.", valueName: "file"),
    completion: .file())
  var input: String?

  @OptionGroup var options: AddOptions

  @OptionGroup var collection: CollectionOptions

  @Option(
    help: ArgumentHelp(
      """
      With --fleet: the name or a label of the machines that may download it, or all for a copy on \
      each of them.
      """,
      valueName: "name"))
  var on: String?

  @Flag(help: "Only print the files of a collection, with their sizes; nothing is fetched.")
  var dryRun = false

  @Flag(help: "Add them without starting them; of a collection, only the list is read.")
  var paused = false

  @Flag(help: "Print a JSON array of objects with id and url.")
  var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    try checkPlace(in: context)
    var progress = CommandProgress(on: context.console, at: context.clock.now().monotonic)
    defer { progress.end() }
    let input = try readInput(in: context, &progress)
    if dryRun, !input.hasOnlyCollections {
      throw UsageError(.command(.dryRunOfFiles))
    }
    if dryRun {
      progress.end()
      return try await context.withoutFleet.withService(for: "kettle add") { service in
        try await CollectionPreview(
          service: service, context: context, printsJSON: json
        ).show(input.collections)
      }
    }
    return try await context.withService(for: "kettle add") { service in
      var adder = TransferAdder(
        service: service, reconnect: context.reconnection(for: "kettle add"))
      adder.on = on
      return try await adder.add(input, for: context, json: json, &progress)
    }
  }

  private func checkPlace(in context: CommandContext) throws(UsageError) {
    guard let on else { return }
    if !context.isFleet { throw UsageError(.fleet(.onWithoutFleet)) }
    if on != FleetRequest.allMachines, !FleetRequest.isName(on) {
      throw UsageError(.fleet(.name(on)))
    }
  }

  /// Reads the command line and collects its problems.
  private func readInput(
    in context: CommandContext, _ progress: inout CommandProgress
  ) throws -> AddInput {
    let reader = CollectionReader(collection, in: context)
    let named = NamedSources(
      urlRuns.flatMap(\.values), collections: options.fetch.asIs ? nil : reader, in: context)
    var problems = named.problems + reader.problems
    let list = try input.map { try readList($0, in: context, &progress) }
    problems += list?.problems ?? []
    let count = named.count + (list?.count ?? 0)
    if count == 0, problems.isEmpty { problems.append(.command(.nothingToAdd)) }
    problems += options.problems(urlCount: count)
    // Erase the progress line before the user is asked anything.
    progress.end()
    var template = try SpecTemplate.finished(
      options, problems, hosts: Self.hosts(named, list), in: context)
    if paused { template.setBeginning(.paused) }
    return AddInput(
      named: named, list: list, template: template,
      collections: named.collections.map { reader.spec(for: $0, template) })
  }

  private static func hosts(_ named: NamedSources, _ list: URLList?) -> Set<String> {
    var hosts = named.hosts
    if let list {
      for batch in list.batches { hosts.formUnion(batch.lazy.map(\.url.host)) }
    }
    return hosts
  }

  private func readList(
    _ input: String, in context: CommandContext, _ progress: inout CommandProgress
  ) throws -> URLList {
    var list = URLList(name: input)
    // A user who types the list sees it anyway.
    let isTyped = input == "-" && context.console.isInputTerminal
    func readPiece(_ bytes: Span<UInt8>) -> Bool {
      let wantsMore = list.read(bytes)
      if !isTyped { progress.show(.read(list.count), at: context.clock.now().monotonic) }
      return wantsMore
    }
    if input == "-" {
      try context.console.readInput(readPiece)
    } else {
      try ArgumentPath.read(input, from: context.currentDirectory, readPiece)
    }
    list.end()
    return list
  }
}

/// The transfers to add, read and checked.
struct AddInput {
  fileprivate let named: NamedSources
  fileprivate let list: URLList?
  fileprivate let template: SpecTemplate
  fileprivate let collections: [TransferSpec]

  var count: Int { named.count + (list?.count ?? 0) }

  var hasOnlyCollections: Bool { list == nil && named.urls.isEmpty && named.files.isEmpty }

  /// The most URLs that are looked for on the list before they are added: a longer list is added
  /// without.
  static let soughtCountMax = 10_000

  /// The URLs to look for on the list.
  fileprivate var sought: [String] {
    guard count <= Self.soughtCountMax else { return [] }
    var urls = Set(named.urls.map(\.url.text) + named.files.compactMap { $0.urls.first?.url.text })
    if let list { for batch in list.batches { urls.formUnion(batch.lazy.map(\.url.text)) } }
    return urls.sorted()
  }
}

extension AddInput {
  /// A file of a collection as a transfer of its own, and its path below the directory that the
  /// user named, or below that of the collection. What the environment of this machine knows of the
  /// source, such as a token, stays here.
  fileprivate func fleetFile(
    _ member: ListedMember, of collection: TransferSpec
  ) -> (spec: TransferSpec, path: MemberPath)? {
    var spec = template.spec(for: TransferURL.Parsed(url: member.url, login: nil))
    if member.url.origin != collection.url.origin { spec.headers = [] }
    spec.checksum = member.checksum
    let name = collection.options.collection?.source.directoryName?.text
    let named = [name].compactMap(\.self) + member.path.components
    spec.title = named.joined(separator: "/")
    spec.name = nil
    guard spec.directory == nil else { return (spec, member.path) }
    return MemberPath(foreign: named).map { (spec, $0) }
  }
}

extension TransferAdder {
  /// Queues everything, request by request, and prints each transfer once it is in the store.
  ///
  /// When printing fails, the rest is queued all the same: a reader like `head` must not decide
  /// what is fetched. The printing error is thrown at the end.
  func add(
    _ input: AddInput, for context: CommandContext, json: Bool, _ progress: inout CommandProgress
  ) async throws -> ExitCode {
    var printer = AddedPrinter(on: context.console, json: json)
    let listed = try await ListedURLs(service: service).find(input.sought)
    var again: [(old: TransferID, new: TransferID)] = []
    defer { Self.report(again, on: context.console) }
    var count = 0
    var areListsRead = true
    func report(_ ids: [TransferID], _ request: AddRequest) {
      printer.print(ids, of: request)
      count += ids.count
      if !listed.isEmpty {
        again += request.withURLs(ids).compactMap { id, url in
          listed[url.text].map { (old: $0.id, new: id) }
        }
      }
      progress.show(.added(count, of: input.count), at: context.clock.now().monotonic)
    }
    do {
      if !input.named.urls.isEmpty {
        try await add(Self.requests(input.named.urls, input.template), report: report)
      }
      if !input.named.files.isEmpty {
        let batches = Self.batches(input.named.specsOfFiles(input.template))
        try await add(batches.lazy.map { AddRequest($0) }, report: report)
      }
      if context.isFleet {
        areListsRead = try await spread(input, for: context, &progress) { ids, request in
          printer.print(ids, of: request)
        }
      } else if !input.collections.isEmpty {
        let batches = Self.batches(input.collections)
        try await add(batches.lazy.map { AddRequest($0) }, report: report)
      }
      if let list = input.list {
        try await add(list.batches.lazy.map { AddRequest($0, input.template) }, report: report)
      }
    } catch {
      // The transfers queued before the failure still form a complete array.
      try printer.end()
      throw error
    }
    try printer.end()
    return areListsRead ? .done : .transferFailed
  }

  /// Reads the lists of collections on this machine, and queues their files for a fleet. Returns
  /// whether all lists could be read.
  private func spread(
    _ input: AddInput, for context: CommandContext, _ progress: inout CommandProgress,
    report: ([TransferID], AddRequest) -> Void
  ) async throws -> Bool {
    guard !input.collections.isEmpty else { return true }
    let local = context.withoutFleet
    return try await local.withService(for: "kettle add") { service in
      let lists = CollectionLists(service: service, context: local)
      var areRead = true
      for collection in input.collections {
        let isRead = try await lists.read(collection, &progress) { row, progress in
          var count = 0
          try await MemberReader(service: service).forEachPage(of: row.id) { page in
            let request = AddRequest(page.compactMap { input.fleetFile($0.member, of: collection) })
            try await add(CollectionOfOne(request), report: report)
            count += page.count
            progress.show(
              .added(count, of: row.collection?.memberCount ?? count),
              at: context.clock.now().monotonic)
          }
        }
        areRead = isRead && areRead
      }
      return areRead
    }
  }

  /// Says which URLs were on the list already: a few by name, many by their number.
  private static func report(
    _ again: [(old: TransferID, new: TransferID)], on console: any Console
  ) {
    if again.count > 5 { return console.printError(Sentences.alsoListed(count: again.count)) }
    for one in again { console.printError(Sentences.alsoListed(one.old, new: one.new)) }
  }

  /// The URLs of a command line are few and may be long.
  private static func requests(
    _ urls: [TransferURL.Parsed], _ template: SpecTemplate
  ) -> [AddRequest] {
    let most = max(1, min(batchCount, batchByteCount / TransferURL.byteCountMax))
    return stride(from: 0, to: urls.count, by: most).map { start in
      AddRequest(Array(urls[start..<min(start + most, urls.count)]), template)
    }
  }
}
