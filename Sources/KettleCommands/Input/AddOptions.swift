import ArgumentParser
import KettleModel

/// The options of `add`, which `get` accepts too.
struct AddOptions: ParsableArguments {
  /// More connections for one file make it no faster and look like an attack.
  static let connectionsMax = 64

  @Option(
    name: [.customShort("t"), .long],
    help: ArgumentHelp("The title to show instead of the file name.", valueName: "title"))
  var title: String?

  @Option(
    name: [.customShort("d"), .customLong("directory"), .customLong("to")],
    help: ArgumentHelp(
      """
      The directory for the file, created if missing, or s3://BUCKET/PREFIX; default: the \
      downloads directory.
      """, valueName: "dir"),
    completion: .directory)
  var directory: String?

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "The name or path of the file; default: the name given by the server.", valueName: "path"))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "The group of the transfer; default: \"kettle\".", valueName: "id", visibility: .hidden),
    completion: .asking(.sessions))
  var session: String?

  @Option(
    help: ArgumentHelp(
      "Your queue for the transfer, with its own limit and hours; default: \"default\".",
      valueName: "name"),
    completion: .asking(.queues))
  var queue: String?

  @Option(
    help: ArgumentHelp(
      "The number of connections; overrides the limit per host.", valueName: "n"))
  var connections: Int?

  @Option(
    name: .customLong("header"),
    help: ArgumentHelp(
      "A header to send to this host only, as 'Name: value'; can be repeated.", valueName: "header")
  )
  var headers: [String] = []

  @Option(
    help: ArgumentHelp(
      "The login, as name:password; asks for a missing password.", valueName: "user"))
  var user: String?

  @Option(
    help: ArgumentHelp(
      """
      The expected digest of the finished file: sha256:HEX, sha512:HEX, sha384:HEX, sha224:HEX, \
      sha1:HEX, md5:HEX or the digits alone.
      """, valueName: "checksum"))
  var checksum: String?

  @Option(
    name: .customLong("checksum-url"),
    help: ArgumentHelp(
      "A list with the digest of the file, such as SHA256SUMS.", valueName: "url"))
  var checksumURL: String?

  @Option(
    help: ArgumentHelp(
      "Trust the certificate authorities in this PEM file.", valueName: "file",
      visibility: .hidden),
    completion: .file())
  var caCertificate: String?

  @Option(
    help: ArgumentHelp(
      "Bytes per second, with K, M or G for powers of 1024: 1.5M.", valueName: "rate"))
  var limit: String?

  @Option(
    help: ArgumentHelp(
      """
      The earliest start: 2026-12-24T18:00:00Z, 2026-12-24T18:00 or 2026-12-24 in local time, or \
      +45s, +90m, +2h, +1d from now.
      """, valueName: "time"))
  var notBefore: String?

  @Option(
    help: ArgumentHelp(
      "The priority: low, normal, high, or 0 (last) to 1 (first).", valueName: "priority")
  )
  var priority: String?

  @Option(
    help: ArgumentHelp(
      "What to do if the file exists: rename (the default) adds a number to the name.",
      valueName: "policy"))
  var onConflict: ConflictPolicy?

  @Option(
    name: .customLong("mirror"),
    help: ArgumentHelp(
      "Another URL of the same file; can be repeated. The file comes from all of them.",
      valueName: "url"))
  var mirrors: [String] = []

  @OptionGroup var fetch: FetchOptions
}

extension AddOptions {
  /// What is wrong with the options together, for this many URLs.
  func problems(urlCount count: Int) -> [UsageProblem] {
    var problems: [UsageProblem] = []
    if checksum != nil, checksumURL != nil { problems.append(.command(.twoChecksums)) }
    guard count > 1 else { return problems }
    if OutputPath(directory: nil, output: output).name != nil {
      problems.append(.command(.nameForSeveral(count: count)))
    }
    if checksum != nil { problems.append(.command(.checksumForSeveral(count: count))) }
    if !mirrors.isEmpty { problems.append(.command(.mirrorForSeveral(count: count))) }
    return problems
  }
}

extension ConflictPolicy: ExpressibleByArgument {}

/// What the arguments of a command name: URLs, the files of Metalinks and torrents, and
/// collections.
struct NamedSources {
  private(set) var urls: [TransferURL.Parsed] = []
  private(set) var collections: [CollectionReader.Named] = []
  private(set) var files: [MetalinkFile] = []
  private(set) var problems: [UsageProblem] = []

  /// - Parameter reader: recognizes collections; nil for a command that adds none.
  init(
    _ arguments: [String], collections reader: CollectionReader? = nil, in context: CommandContext
  ) {
    for argument in arguments {
      switch reader?.source(argument) {
      case .success(let named):
        collections.append(named)
        continue
      case .failure(let error):
        problems += error.problems
        continue
      case nil: break
      }
      let isFile = !argument.contains("://")
      if isFile, MetalinkFile.isNamed(argument) {
        readMetalink(argument, in: context)
        continue
      }
      if isFile, TorrentFile.isNamed(argument) {
        readTorrent(argument, in: context)
        continue
      }
      switch TransferURL.parse(argument) {
      case .success(let one): urls.append(one)
      case .failure(let why): problems.append(.url(argument, why))
      }
    }
  }

  var count: Int { urls.count + files.count + collections.count }

  /// The hosts that the transfers begin with.
  var hosts: Set<String> {
    Set(
      urls.map(\.url.host) + files.compactMap { $0.urls.first?.url.host }
        + collections.map(\.source.url.host))
  }

  /// The transfers of the Metalinks and torrents.
  func specsOfFiles(_ template: SpecTemplate) -> [TransferSpec] {
    files.compactMap { file in
      guard let best = file.urls.first else { return nil }
      var spec = template.spec(for: best)
      file.complete(&spec, namedBy: .machine)
      return spec
    }
  }

  private mutating func readMetalink(_ path: String, in context: CommandContext) {
    guard let bytes = read(path, byteCountMax: MetalinkFile.byteCountMax, in: context) else {
      return
    }
    do {
      files += try MetalinkFile.read(bytes)
    } catch {
      problems.append(.metalink(path, error))
    }
  }

  private mutating func readTorrent(_ path: String, in context: CommandContext) {
    guard let bytes = read(path, byteCountMax: TorrentFile.byteCountMax, in: context) else {
      return
    }
    do {
      files += try TorrentFile.read(bytes).sources()
    } catch {
      problems.append(.torrent(path, error))
    }
  }

  /// Returns the bytes of a file, with one more than the limit if it is larger; nil where it cannot
  /// be read.
  private mutating func read(
    _ path: String, byteCountMax: Int, in context: CommandContext
  ) -> [UInt8]? {
    var bytes: [UInt8] = []
    do {
      try ArgumentPath.read(path, from: context.currentDirectory) { piece in
        piece.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        return bytes.count <= byteCountMax
      }
      return bytes
    } catch {
      problems += error.problems
      return nil
    }
  }
}

/// The value of `--user`: `name:password`, or the name alone.
enum LoginText: Hashable, Sendable {
  case complete(Login)
  /// The password must be asked for.
  case withoutPassword(user: String)
  case empty

  init(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first, !name.isEmpty else {
      self = .empty
      return
    }
    self =
      parts.count == 2
      ? .complete(Login(user: String(name), password: String(parts[1])))
      : .withoutPassword(user: String(name))
  }

  /// Returns the login, with the password asked for where it is missing.
  func login(asking console: any Console) throws -> Login {
    switch self {
    case .complete(let login): login
    case .withoutPassword(let user):
      Login(user: user, password: try Self.password(of: user, console))
    case .empty: throw UsageError(.value(.userEmpty))
    }
  }

  static func password(of user: String, _ console: any Console) throws -> String {
    do {
      return try console.promptForSecret("Password for \(user.sanitizedForDisplay(limit: 60)): ")
    } catch {
      guard error == .noTerminal else { throw error }
      throw UsageError(.command(.passwordNeedsTerminal(user: user)))
    }
  }
}

/// Parses the seconds of `--timeout` and `--seconds`.
enum Seconds {
  /// One year. A longer time would mean no limit.
  static let max = 31_536_000

  /// In milliseconds.
  static func milliseconds(_ seconds: Double) throws(UsageError) -> Int64 {
    guard seconds >= 0, seconds <= Double(max) else {
      throw UsageError(.value(.seconds(seconds)))
    }
    return Int64(seconds * 1000)
  }
}

/// Where `-d` and `-o` put a file.
struct OutputPath: Hashable {
  /// As typed; nil for the downloads directory.
  var directory: String?
  /// nil for the name that the server gives.
  var name: String?

  /// - Parameters:
  ///   - directory: the value of `-d`.
  ///   - output: the value of `-o`, a name or a path. A path is relative to `directory`, and
  ///     without one to the directory of the command.
  init(directory: String?, output: String?) {
    self.directory = directory
    guard let output else { return }
    guard let slash = output.lastIndex(of: "/") else {
      name = output
      return
    }
    let last = output[slash...].dropFirst()
    name = last.isEmpty ? nil : String(last)
    let folder = slash == output.startIndex ? "/" : String(output[..<slash])
    self.directory = directory.map { folder.hasPrefix("/") ? folder : $0 + "/" + folder } ?? folder
  }
}
