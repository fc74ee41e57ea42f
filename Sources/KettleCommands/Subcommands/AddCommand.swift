import ArgumentParser
import KettleClient
import KettleModel

/// `kettle add`
struct AddCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Queue downloads and print their ids.",
    discussion: """
      The service downloads them in the background; this command does not wait for them. If any \
      argument is invalid, an error is printed and nothing is queued.

      Examples:
        kettle add https://example.org/disk.iso
        kettle add -d ~/isos --checksum sha256:… https://example.org/disk.iso
        kettle add -i urls.txt --limit 1.5M      a list: one URL per line, # starts a comment
        grep -o 'https://[^"]*' page | kettle add -i -
        kettle add --not-before +2h --priority low https://example.org/big.tar
        kettle wait $(kettle add https://example.org/a https://example.org/b)
      """)

  @Argument(help: ArgumentHelp("The http or https URL to download.", valueName: "url"))
  var urls: [String] = []

  @Option(
    name: [.customShort("i"), .customLong("input")],
    help: ArgumentHelp(
      "A list of URLs, one per line; - reads standard input.", valueName: "file"),
    completion: .file())
  var input: String?

  @OptionGroup var options: AddOptions

  @Flag(help: "Print a JSON array of objects with id and url.")
  var json = false

  func run(in world: CommandWorld) async throws -> ExitCode {
    var progress = AddProgress(on: world.console, at: world.clock.now().monotonic)
    defer { progress.end() }
    let order = try readOrder(in: world, &progress)
    return try await world.withService(for: "kettle add") { service in
      let adding = Adding(service: service, reconnect: world.reconnection(for: "kettle add"))
      try await adding.add(order, for: world, json: json, &progress)
      return .done
    }
  }

  /// Reads the command line and collects its problems.
  private func readOrder(
    in world: CommandWorld, _ progress: inout AddProgress
  ) throws -> AddOrder {
    var problems: [UsageProblem] = []
    var named: [TransferURL.Parsed] = []
    for url in urls {
      switch TransferURL.parse(url) {
      case .success(let one): named.append(one)
      case .failure(let why): problems.append(.url(url, why))
      }
    }
    let list = try input.map { try readList($0, in: world, &progress) }
    problems += list?.problems ?? []
    let count = named.count + (list?.count ?? 0)
    if count == 0, problems.isEmpty { problems.append(.command(.nothingToAdd)) }
    if count > 1, options.name != nil { problems.append(.command(.nameForSeveral(count: count))) }
    if count > 1, options.checksum != nil {
      problems.append(.command(.checksumForSeveral(count: count)))
    }
    // Erase the progress line before the user is asked anything.
    progress.end()
    let template = try SpecTemplate.finished(options, problems, in: world)
    return AddOrder(named: named, list: list, template: template)
  }

  private func readList(
    _ input: String, in world: CommandWorld, _ progress: inout AddProgress
  ) throws -> URLList {
    var list = URLList(name: input)
    // A user who types the list sees it anyway.
    let isTyped = input == "-" && world.console.isInputTerminal
    func take(_ bytes: Span<UInt8>) -> Bool {
      let wantsMore = list.read(bytes)
      if !isTyped { progress.show(.read(list.count), at: world.clock.now().monotonic) }
      return wantsMore
    }
    if input == "-" {
      try world.console.readInput(take)
    } else {
      try FilePlace.read(input, from: world.currentDirectory, take)
    }
    list.end()
    return list
  }
}

/// The transfers to add, read and checked.
struct AddOrder {
  fileprivate let named: [TransferURL.Parsed]
  fileprivate let list: URLList?
  fileprivate let template: SpecTemplate

  var count: Int { named.count + (list?.count ?? 0) }
}

extension Adding {
  /// Queues the whole order, request by request, and prints each transfer once it is in the store.
  ///
  /// When printing fails, the rest is queued all the same: a reader like `head` must not decide
  /// what is fetched. The printing error is thrown at the end.
  func add(
    _ order: AddOrder, for world: CommandWorld, json: Bool, _ progress: inout AddProgress
  ) async throws {
    var printer = AddedPrinter(on: world.console, json: json)
    var count = 0
    func tell(_ ids: [TransferID], _ request: AddRequest) {
      printer.print(ids, of: request)
      count += ids.count
      progress.show(.added(count, of: order.count), at: world.clock.now().monotonic)
    }
    do {
      if !order.named.isEmpty {
        try await add(Self.requests(order.named, order.template), tell: tell)
      }
      if let list = order.list {
        try await add(list.batches.lazy.map { AddRequest($0, order.template) }, tell: tell)
      }
    } catch {
      // The transfers queued before the failure still form a complete array.
      try printer.end()
      throw error
    }
    try printer.end()
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
