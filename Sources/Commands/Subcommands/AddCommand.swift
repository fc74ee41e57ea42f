import ArgumentParser
import ControlProtocol
import TransferClient
import TransferModel

/// `kettle add`
struct AddCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Queue downloads and print their ids.",
    discussion: """
      The service fetches them in the background; this command does not wait. Either all are \
      queued, or what is wrong is named and none is.

      Examples:
        kettle add https://example.org/disk.iso
        kettle add -d ~/isos --checksum sha256:… https://example.org/disk.iso
        kettle add -i urls.txt --limit 1.5M      a list: one URL a line, # starts a comment
        grep -o 'https://[^"]*' page | kettle add -i -
        kettle add --not-before +2h --priority low https://example.org/big.tar
        kettle wait $(kettle add https://example.org/a https://example.org/b)
      """)

  @Argument(help: ArgumentHelp("What to fetch: http or https.", valueName: "url"))
  var urls: [String] = []

  @Option(
    name: [.customShort("i"), .customLong("input")],
    help: ArgumentHelp(
      "A list of URLs, one a line; - reads standard input.", valueName: "file"),
    completion: .file())
  var input: String?

  @OptionGroup var options: AddOptions

  @Flag(help: "Print an array of objects with id and url.")
  var json = false

  func run(in world: CommandWorld) async throws -> ExitCode {
    let specs = try readSpecs(in: world)
    return try await world.withService(for: "kettle add") { service in
      let adding = Adding(service: service, reconnect: world.reconnection(for: "kettle add"))
      try await adding.add(specs, printingTo: world.console, json: json)
      return .done
    }
  }

  private func readSpecs(in world: CommandWorld) throws -> [TransferSpec] {
    var problems: [UsageProblem] = []
    var parsed: [TransferURL.Parsed] = []
    for url in urls {
      switch TransferURL.parse(url) {
      case .success(let one): parsed.append(one)
      case .failure(let why): problems.append(.url(url, why))
      }
    }
    if let input {
      let list = try URLList(contents(of: input, in: world), name: input)
      parsed += list.urls
      problems += list.problems
    }
    let count = parsed.count
    if count == 0, problems.isEmpty { problems.append(.command(.nothingToAdd)) }
    if count > 1, options.name != nil { problems.append(.command(.nameForSeveral(count: count))) }
    if count > 1, options.checksum != nil {
      problems.append(.command(.checksumForSeveral(count: count)))
    }
    return try SpecTemplate.specs(for: parsed, options, problems, in: world)
  }

  private func contents(of input: String, in world: CommandWorld) throws -> [UInt8] {
    if input == "-" { return try world.console.readInput() }
    return try FilePlace.contents(of: input, from: world.currentDirectory).get()
  }
}

/// Hands transfers to the service.
struct Adding {
  let service: any ServiceCalling
  /// Leads to the service that runs, without starting one; nil when a lost reply stays lost.
  var reconnect: (@Sendable () async throws -> any ServiceCalling)?

  /// One message must not grow without bounds, nor hold the service up for long.
  static let batchCount = 1000
  /// Of the texts together; with everything around them it stays far below what the service
  /// takes as one message.
  static let batchByteCount = 256 * 1024

  /// Queues all of them, batch after batch, and prints each batch when it is in the store.
  ///
  /// When nothing can be printed any more the rest is queued all the same: a reader like `head`
  /// must not decide what is fetched. That it could not be printed is thrown at the end.
  func add(
    _ specs: [TransferSpec], printingTo console: any Console, json: Bool
  ) async throws {
    var printer = AddedPrinter(on: console, json: json)
    do {
      for batch in Self.batches(specs) {
        let ids = try await add(batch)
        printer.print(ids, of: batch)
      }
    } catch {
      // What was queued before it went wrong is still an array.
      try printer.end()
      throw error
    }
    try printer.end()
  }

  /// Asks again when the reply was lost: the id of the request keeps the service from adding
  /// twice, as long as it still is the service that was asked.
  func add(_ specs: [TransferSpec]) async throws -> [TransferID] {
    let params = AddTransfers.Params(transfers: specs, requestID: Self.newRequestID())
    do {
      return try await service.call(AddTransfers.self, params).ids
    } catch ClientError.connectionLost {
      guard let instance = service.instance, let next = try? await reconnect?() else {
        throw ClientError.connectionLost
      }
      do {
        guard next.instance == instance else { throw ClientError.connectionLost }
        let ids = try await next.call(AddTransfers.self, params).ids
        await next.close()
        return ids
      } catch {
        await next.close()
        throw error
      }
    }
  }

  /// Random enough that no two programs ever choose the same.
  private static func newRequestID() -> String {
    (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }
      .joined(separator: "-")
  }

  static func batches(_ specs: [TransferSpec]) -> [[TransferSpec]] {
    var batches: [[TransferSpec]] = []
    var batch: [TransferSpec] = []
    var byteCount = 0
    for spec in specs {
      let size = textByteCount(of: spec)
      if batch.count == batchCount || (byteCount + size > batchByteCount && !batch.isEmpty) {
        batches.append(batch)
        batch = []
        byteCount = 0
      }
      batch.append(spec)
      byteCount += size
    }
    return batch.isEmpty ? batches : batches + [batch]
  }

  private static func textByteCount(of spec: TransferSpec) -> Int {
    let texts = [
      spec.url.text, spec.title, spec.directory, spec.name, spec.caCertificatePath,
      spec.session.rawValue,
    ]
    let headers = spec.headers.flatMap { [$0.name, $0.value] }
    return (texts.compactMap { $0 } + headers).reduce(0) { $0 + $1.utf8.count }
  }
}
