import ArgumentParser
import KettleControl
import KettleModel
import KettleRPC

/// What a command line of aria2c asks for.
struct Aria2cRequest {
  /// The RPC that the program that started this one looks at.
  struct Door {
    var port: Int
    var secret: RPCSecret
  }

  private(set) var specs: [TransferSpec] = []
  private(set) var isQuiet = false
  /// Whether the command ends when the downloads are queued (`-D`).
  private(set) var isDetached = false
  private(set) var door: Door?
  /// Whether an existing file is fetched again.
  private(set) var overwrites = false
  /// When the command ends, whatever is unfinished then (`--stop`); nil is never.
  private(set) var limitMilliseconds: Int64?
  private(set) var notes: [String] = []

  private let context: CommandContext
  private var cookies = BrowserCookies()
  /// What the environment of this command decides.
  private var base = TransferOptions()

  init(_ words: [String], in context: CommandContext) throws {
    self.context = context
    var line = try Aria2CommandLine(words)
    if !line.takeFlag("no-conf"), let path = line.take("conf-path") {
      line.addConfiguration(try text(of: path))
    }
    isQuiet = line.takeFlag("quiet")
    isDetached = line.takeFlag("daemon")
    door = try Self.door(&line)
    limitMilliseconds = try Self.seconds("stop", &line).map { $0 * 1000 }
    try readFetch(&line)
    let concurrent = line.take("max-concurrent-downloads").flatMap { Int($0) }
    let isSequential = line.takeFlag("force-sequential")
    let input = try line.take("input-file").map { try Aria2InputFile(text(of: $0)) }
    let metalink = line.take("metalink-file")
    let totalLimit = try Self.rate(&line)
    try Self.check(line.options)
    guard limitMilliseconds == nil || !isDetached else {
      throw Aria2CommandLine.Problem("-D ends at once, so --stop cannot apply; leave one out")
    }
    if line.take("check-certificate") == "false" {
      throw Aria2CommandLine.Problem(
        "--check-certificate=false is not supported; trust one server with \"kettle accept\"")
    }
    var entries = input?.entries ?? []
    // Several URIs are mirrors of one file, unless -Z says otherwise.
    let files = line.uris.filter { MetalinkFile.isNamed($0) && !$0.contains("://") }
    let uris = line.uris.filter { !files.contains($0) }
    if isSequential {
      entries += uris.map { Aria2InputFile.Entry(uris: [$0]) }
    } else if !uris.isEmpty {
      entries.append(Aria2InputFile.Entry(uris: uris))
    }
    for entry in entries { try add(entry, line.options) }
    for path in files + [metalink].compactMap(\.self) { try addMetalink(path, line.options) }
    guard !specs.isEmpty else {
      throw Aria2CommandLine.Problem(
        door == nil
          ? "Specify at least one URL"
          : "Without a URL there is nothing to answer for; run \"kettle rpc enable\" instead")
    }
    share(totalLimit)
    // Nothing would start it: this program answers questions only.
    guard isDetached || !specs.contains(where: { $0.beginning == .paused }) else {
      throw Aria2CommandLine.Problem(
        "--pause=true would wait for ever; add -D, and start the download with \"kettle start\"")
    }
    if let concurrent, concurrent < specs.count {
      notes.append("-j \(concurrent): the service decides how many run at once (limits.transfers)")
    }
  }

  private static func door(_ line: inout Aria2CommandLine) throws -> Door? {
    let port = line.take("rpc-listen-port")
    let secret = line.take("rpc-secret")
    guard line.takeFlag("enable-rpc") else { return nil }
    guard let number = Int(port ?? "6800"), (1...65_535).contains(number) else {
      throw Aria2CommandLine.Problem("--rpc-listen-port needs a number from 1 to 65535")
    }
    guard let secret = secret.flatMap({ RPCSecret($0) }) else {
      throw Aria2CommandLine.Problem(
        "--enable-rpc needs --rpc-secret with at least \(RPCSecret.byteCountMin) characters")
    }
    return Door(port: number, secret: secret)
  }

  private static func check(_ options: [String: RPCValue]) throws {
    guard let refusal = Aria2OptionTable.refusal(of: options) else { return }
    throw Aria2CommandLine.Problem(refusal)
  }

  private static func seconds(_ name: String, _ line: inout Aria2CommandLine) throws -> Int64? {
    guard let text = line.take(name), text != "0" else { return nil }
    guard let seconds = Int64(text), (1...Int64(TransferOptions.secondsMax)).contains(seconds)
    else { throw Aria2CommandLine.Problem("--\(name) needs a number of seconds") }
    return seconds
  }

  /// Takes the limit for all files together; nil is none.
  private static func rate(_ line: inout Aria2CommandLine) throws -> Int64? {
    guard let text = line.take("max-overall-download-limit"), text != "0" else { return nil }
    guard let rate = RateText.parse(text) else {
      throw Aria2CommandLine.Problem(
        "--max-overall-download-limit needs bytes per second, such as 500K")
    }
    return rate
  }

  /// Gives each file its share of the limit for all together.
  private mutating func share(_ limit: Int64?) {
    guard let limit, !specs.isEmpty else { return }
    let share = max(1, limit / Int64(specs.count))
    for index in specs.indices {
      specs[index].limitBytesPerSecond = min(specs[index].limitBytesPerSecond ?? share, share)
    }
  }

  /// Of a list or a configuration file; the rest of a longer one is not read.
  private static let fileByteCountMax = 64 << 20

  private func text(of path: String) throws -> String {
    var bytes: [UInt8] = []
    func keep(_ piece: Span<UInt8>) -> Bool {
      piece.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
      return bytes.count <= Self.fileByteCountMax
    }
    if path == "-" {
      try context.console.readInput(keep)
    } else {
      try ArgumentPath.read(path, from: context.currentDirectory, keep)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads the options that name files, as `kettle get` does.
  private mutating func readFetch(_ line: inout Aria2CommandLine) throws {
    var words: [String] = []
    for (name, option) in [
      ("load-cookies", "--load-cookies"), ("certificate", "--cert"), ("private-key", "--key"),
    ] {
      if let path = line.take(name) { words += [option, path] }
    }
    let reader = FetchOptionsReader(try FetchOptions.parse(words), in: context)
    guard reader.problems.isEmpty else { throw UsageError(reader.problems) }
    base = reader.options
    cookies = reader.cookies
  }

  // MARK: Transfers

  private mutating func add(
    _ entry: Aria2InputFile.Entry, _ common: [String: RPCValue]
  ) throws {
    let sources = NamedSources(entry.uris, in: context)
    guard sources.problems.isEmpty else { throw UsageError(sources.problems) }
    guard let first = sources.urls.first else { return }
    try Self.check(entry.options)
    let choices = try RPCChoices(common.merging(entry.options) { $1 })
    var spec = try spec(for: first, choices)
    spec.options.mirrors = Array(
      sources.urls.dropFirst().map(\.url).prefix(TransferOptions.mirrorCountMax))
    specs.append(spec)
  }

  private mutating func addMetalink(_ path: String, _ common: [String: RPCValue]) throws {
    let sources = NamedSources([path], in: context)
    guard sources.problems.isEmpty else { throw UsageError(sources.problems) }
    for file in sources.files {
      guard let best = file.urls.first else { continue }
      var spec = try spec(for: best, try RPCChoices(common))
      file.complete(&spec, namedBy: .machine)
      specs.append(spec)
    }
  }

  private mutating func spec(
    for source: TransferURL.Parsed, _ choices: RPCChoices
  ) throws -> TransferSpec {
    var spec = TransferSpec(url: source.url)
    let place = OutputPath(directory: choices.directory ?? ".", output: choices.output)
    switch ArgumentPath.directoryToUse(place.directory ?? ".", from: context.currentDirectory) {
    case .success(.existing(let directory)):
      spec.directory = directory
      if let name = place.name { try ArgumentPath.checkPlace(of: name, in: directory) }
    case .success(.missing(let directory)):
      try ArgumentPath.makeDirectory(directory)
      spec.directory = directory
    case .failure(let error): throw error
    }
    if let name = place.name {
      do throws(FileNameProblem) {
        spec.name = try FileName(typed: name)
      } catch {
        throw Aria2CommandLine.Problem(error.sentence(name))
      }
    }
    if choices.overwrites == true { overwrites = true }
    try choices.apply(to: &spec, [source.url], login: source.login)
    spec.options.proxy = spec.options.proxy ?? base.proxy
    spec.options.permissions = base.permissions
    spec.options.certificate = base.certificate
    spec.options.cookies = Array(
      cookies.cookies.filter { $0.isMatched(byHost: source.url.host) }
        .prefix(TransferOptions.cookieCountMax))
    // It was not added through the RPC.
    spec.options.rpc = nil
    return spec
  }
}
