import ArgumentParser
import KettleModel

/// Options of `add` and `get` for the network and the file. Few downloads need them.
struct FetchOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A proxy for this download, or none; default: the environment's.", valueName: "url"))
  var proxy: String?

  @Option(
    help: ArgumentHelp(
      "The longest silence of the server; default: 60, doubled after each silence.",
      valueName: "seconds"))
  var timeout: Int?

  @Option(
    help: ArgumentHelp(
      "The longest time to establish a connection; default: 30.", valueName: "seconds",
      visibility: .hidden))
  var connectTimeout: Int?

  @Option(
    help: ArgumentHelp(
      "The number of attempts without new bytes; default: 11, 0 for no limit.", valueName: "n"))
  var tries: Int?

  @Option(
    help: ArgumentHelp(
      "The pause before the first retry; default: 1, doubled each time.", valueName: "seconds",
      visibility: .hidden))
  var retryDelay: Int?

  @Flag(
    name: [.customShort("c"), .customLong("continue")],
    help: """
      Continue a file of that name that curl, wget or a browser has begun, if its last bytes are \
      those of the server. Without -d, one in the current directory is continued there.
      """)
  var continues = false

  @Option(
    help: ArgumentHelp(
      "Send the cookies of this file, in Netscape's format or a browser's database.",
      valueName: "file",
      visibility: .hidden),
    completion: .file())
  var loadCookies: String?

  @Option(
    help: ArgumentHelp(
      "A client certificate in a PEM file, with its key unless --key names it.",
      valueName: "file", visibility: .hidden),
    completion: .file())
  var cert: String?

  @Option(
    help: ArgumentHelp(
      "The private key of --cert in a PEM file.", valueName: "file", visibility: .hidden),
    completion: .file())
  var key: String?

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Whether ~/.netrc may supply the login; default: as configured.", visibility: .hidden))
  var netrc: Bool?

  @Option(
    help: ArgumentHelp(
      "Of an HLS playlist: smallest, a height such as 720p, or a bit rate such as 2500k.",
      valueName: "variant", visibility: .hidden))
  var variant: String?

  @Flag(
    help: ArgumentHelp(
      "Keep a playlist or Metalink as a file, and do not fetch what it describes.",
      visibility: .hidden))
  var asIs = false

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Whether to unpack a file that the server sends compressed (gzip, br, zstd).",
      visibility: .hidden))
  var decode: Bool?

  @Option(
    help: ArgumentHelp(
      "A program to start when the file is done, such as 'unzip -o {path}'; no shell reads it.",
      valueName: "command"))
  var then: String?

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Whether the file gets the server's modification time.", visibility: .hidden))
  var remoteTime: Bool?
}

extension RequestPart {
  /// The option that asks for it; the name of the property where there is none.
  var option: String {
    switch self {
    case .title: "--title"
    case .directory: "--directory"
    case .name: "--output"
    case .session: "--session"
    case .connections: "--connections"
    case .headers: "--header"
    case .login: "--user"
    case .checksum: "--checksum"
    case .caCertificatePath: "--ca-certificate"
    case .limitBytesPerSecond: "--limit"
    case .notBefore: "--not-before"
    case .priority: "--priority"
    case .onConflict: "--on-conflict"
    case .beginning: "--paused"
    case .silenceSeconds: "--timeout"
    case .connectSeconds: "--connect-timeout"
    case .attemptsMax: "--tries"
    case .retryDelaySeconds: "--retry-delay"
    case .proxy: "--proxy"
    case .cookies: "--load-cookies"
    case .certificate: "--cert"
    case .usesNetrc: "--netrc"
    case .keepsServerTime: "--remote-time"
    case .mirrors: "--mirror"
    case .unpacks: "--decode"
    case .continues: "--continue"
    case .checksumURL: "--checksum-url"
    case .isAsIs: "--as-is"
    case .variant: "--variant"
    case .queue: "--queue"
    case .then: "--then"
    case .url, .trustedServers, .request, .task, .permissions, .makesDirectory, .rpc, .chosen,
      .rule, .collection, .store, .page:
      rawValue
    }
  }
}

/// Reads and checks `FetchOptions`.
struct FetchOptionsReader {
  private(set) var options = TransferOptions()
  /// The user's cookies for all hosts; each transfer gets those of its own.
  private(set) var cookies = BrowserCookies()
  private(set) var problems: [UsageProblem] = []
  private let context: CommandContext

  init(_ fetch: FetchOptions, in context: CommandContext) {
    self.context = context
    readTimes(fetch)
    readProxy(fetch)
    readCookies(fetch)
    readCertificate(fetch)
    readVariant(fetch)
    readThen(fetch)
    options.isAsIs = fetch.asIs
    options.continues = fetch.continues
    options.unpacks = fetch.decode ?? false
    options.usesNetrc = fetch.netrc
    options.keepsServerTime = fetch.remoteTime ?? false
    if fetch.decode == false { options.chosen.insert(.unpacking) }
    if fetch.remoteTime == false { options.chosen.insert(.serverTime) }
    let permissions = FilePermissions(mask: context.fileMask)
    // The usual ones need not be recorded for each transfer.
    if permissions != .usual, context.host == nil { options.permissions = permissions }
  }

  private mutating func readTimes(_ fetch: FetchOptions) {
    options.silenceSeconds = seconds(fetch.timeout, of: "--timeout")
    options.connectSeconds = seconds(fetch.connectTimeout, of: "--connect-timeout")
    options.retryDelaySeconds = seconds(fetch.retryDelay, of: "--retry-delay")
    guard let tries = fetch.tries else { return }
    if (0...TransferOptions.attemptsCountMax).contains(tries) {
      options.attemptsMax = tries
    } else {
      problems.append(.value(.tries(tries)))
    }
  }

  private mutating func seconds(_ seconds: Int?, of option: String) -> Int? {
    guard let seconds else { return nil }
    if (1...TransferOptions.secondsMax).contains(seconds) { return seconds }
    problems.append(.value(.wholeSeconds(option: option, seconds)))
    return nil
  }

  /// Without the option the environment of this command decides; on another machine, that of its
  /// service.
  private mutating func readProxy(_ fetch: FetchOptions) {
    switch fetch.proxy {
    case nil:
      if context.host == nil { options.proxy = .environment(ProxyEnvironment(context.environment)) }
    case "none", "": options.proxy = .direct
    case .some(let text):
      if ProxyServer(text) != nil {
        options.proxy = .server(text)
      } else {
        problems.append(.value(.proxy(text)))
      }
    }
  }

  private mutating func readCookies(_ fetch: FetchOptions) {
    guard let path = fetch.loadCookies, let file = absolute(path) else { return }
    let bytes: [UInt8]
    do throws(UsageProblem.ListProblem) {
      bytes = try ArgumentPath.contents(of: file, byteCountMax: CookieFile.byteCountMax) {
        !Self.isDatabase($0)
      }
    } catch {
      problems.append(.path(.cookiesUnreadable(path, error)))
      return
    }
    let now = context.clock.now().wall
    if Self.isDatabase(bytes) {
      readBrowserCookies(path, at: now)
    } else if let file = CookieFile(String(decoding: bytes, as: UTF8.self), at: now) {
      cookies.cookies = file.cookies
      if !file.unreadableLines.isEmpty {
        context.console.printError(Sentences.cookieLines(file.unreadableLines, of: path))
      }
    } else {
      problems.append(.path(.notCookies(path)))
    }
  }

  /// Whether a file begins as those of SQLite (sqlite.org/fileformat2.html, 1.3.1).
  private static func isDatabase(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: "SQLite format 3\u{0}".utf8)
  }

  private mutating func readBrowserCookies(_ path: String, at now: WallTime) {
    let parent = context.environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    guard let absolute = absolute(path) else { return }
    let request = BrowserCookieRequest(
      path: absolute, temporaryDirectory: parent, now: now)
    do throws(BrowserCookieProblem) {
      cookies = try context.readBrowserCookies(request)
    } catch {
      problems.append(.path(.browserCookies(path, error)))
    }
  }

  private mutating func readVariant(_ fetch: FetchOptions) {
    guard let text = fetch.variant else { return }
    options.variant = PlaylistVariant(rawValue: text)
    if options.variant == nil { problems.append(.value(.variant(text))) }
  }

  /// A program that is named by a relative path is found from the command's directory.
  private mutating func readThen(_ fetch: FetchOptions) {
    guard let text = fetch.then else { return }
    guard var words = HookCommand.words(in: text) else {
      problems.append(.value(.hookQuote(text)))
      return
    }
    if let program = words.first, program.contains("/"), !program.hasPrefix("/"),
      !program.hasPrefix("~/"), context.host == nil
    {
      guard let absolute = absolute(program) else { return }
      words[0] = absolute
    }
    switch HookCommand.make(words) {
    case .success(let command): options.then = command
    case .failure(let problem): problems.append(.value(.hook(text, problem)))
    }
  }

  private mutating func absolute(_ path: String) -> String? {
    do throws(UsageError) {
      return try context.currentDirectory.absolute(path)
    } catch {
      problems += error.problems
      return nil
    }
  }

  private mutating func readCertificate(_ fetch: FetchOptions) {
    guard let certificate = fetch.cert else {
      if let key = fetch.key { problems.append(.command(.keyWithoutCertificate(key))) }
      return
    }
    guard let certificatePath = readableFile(certificate),
      let keyPath = readableFile(fetch.key ?? certificate)
    else { return }
    options.certificate = ClientCertificate(certificatePath: certificatePath, keyPath: keyPath)
  }

  private mutating func readableFile(_ path: String) -> String? {
    if context.host != nil {
      if path.hasPrefix("/") { return path }
      problems.append(.path(.relativeOverHost(path)))
      return nil
    }
    switch ArgumentPath.readableFile(path, from: context.currentDirectory) {
    case .success(let file): return file
    case .failure(let error):
      problems += error.problems
      return nil
    }
  }
}
