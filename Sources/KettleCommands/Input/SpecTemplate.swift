import KettleModel

/// The options of `add`, read and checked, for any number of URLs.
struct SpecTemplate: Sendable {
  private var settings: [@Sendable (inout TransferSpec) -> Void] = []
  /// A user name whose password must be asked for.
  private var userWithoutPassword: String?
  private var login: Login?
  private var problems: [UsageProblem] = []
  /// A directory that does not exist yet.
  private var newDirectory: String?
  /// The user's cookies for all hosts.
  private var cookies = BrowserCookies()
  /// Where they are from.
  private var cookiePath = ""

  /// Collects every problem, not only the first.
  private init(_ options: AddOptions, in context: CommandContext) {
    let output = OutputPath(directory: options.directory, output: options.output)
    readNames(options, output)
    readPaths(options, placedAt: output, in: context)
    readNumbers(options, context)
    readRequest(options)
    readFetch(options.fetch, context)
    readMirrors(options)
    readChecksumURL(options)
    readQueue(options)
    if let policy = options.onConflict {
      settings.append { spec in
        spec.onConflict = policy
        if policy == .rename { spec.options.chosen.insert(.onConflict) }
      }
    }
  }

  /// Throws all problems: `problems` and those of the options. Asks for a password, and makes a
  /// missing directory, only when there are none.
  ///
  /// - Parameter hosts: of all URLs; only needed if some cookies cannot be decrypted.
  static func finished(
    _ options: AddOptions, _ problems: [UsageProblem], hosts: @autoclosure () -> Set<String>,
    in context: CommandContext
  ) throws -> SpecTemplate {
    var template = SpecTemplate(options, in: context)
    var all = problems + template.problems
    if !template.cookies.encrypted.isEmpty, let problem = template.missingCookies(hosts()) {
      all.append(problem)
    }
    if !all.isEmpty { throw UsageError(all) }
    if let user = template.userWithoutPassword {
      template.setPassword(try LoginText.password(of: user, context.console))
    }
    if let path = template.newDirectory { try ArgumentPath.makeDirectory(path) }
    return template
  }

  /// Names the first host that would not get all of its cookies.
  private func missingCookies(_ hosts: Set<String>) -> UsageProblem? {
    for host in hosts.sorted() {
      let count = cookies.encrypted.count { $0.isMatched(byHost: host) }
      if count > 0 { return .path(.cookiesEncrypted(cookiePath, host: host, count: count)) }
    }
    return nil
  }

  /// What the transfers do once they are added.
  mutating func setBeginning(_ beginning: TransferSpec.Beginning) {
    settings.append { $0.beginning = beginning }
  }

  /// Whether URLs of different hosts get different settings.
  var differsByHost: Bool { !cookies.cookies.isEmpty }

  func spec(for parsed: TransferURL.Parsed) -> TransferSpec {
    var spec = TransferSpec(url: parsed.url)
    for setting in settings { setting(&spec) }
    // A login in a URL applies to that URL; --user applies to URLs without one.
    spec.login = parsed.login ?? login
    spec.options.cookies = Array(
      cookies.cookies.filter { $0.isMatched(byHost: parsed.url.host) }
        .prefix(TransferOptions.cookieCountMax))
    return spec
  }

  private mutating func setPassword(_ password: String) {
    guard let user = userWithoutPassword else { return }
    login = Login(user: user, password: password)
    userWithoutPassword = nil
  }

  private mutating func readNames(_ options: AddOptions, _ output: OutputPath) {
    if let title = options.title, !title.isEmpty { settings.append { $0.title = title } }
    if let name = output.name {
      if name == "-" {
        problems.append(.command(.standardOutput))
      } else if let name = try? FileName(typed: name) {
        settings.append { $0.name = name }
      } else {
        problems.append(.value(.fileName(name)))
      }
    }
    if let session = options.session {
      let isUsable =
        (1...255).contains(session.utf8.count)
        && !session.unicodeScalars.contains { $0.isControl }
      if isUsable {
        settings.append { $0.session = SessionID(rawValue: session) }
      } else {
        problems.append(.value(.session(session)))
      }
    }
  }

  private mutating func readPaths(
    _ options: AddOptions, placedAt output: OutputPath, in context: CommandContext
  ) {
    let prefix = output.directory.flatMap { ObjectPrefix.isMeant(by: $0) ? $0 : nil }
    if let prefix { readPrefix(prefix, in: context) }
    if context.host != nil || context.isFleet {
      readRemotePaths(options, prefix == nil ? output : OutputPath(directory: nil, output: nil))
      return
    }
    if prefix != nil {
      // No directory is looked at.
    } else if let path = output.directory {
      switch ArgumentPath.directoryToUse(path, from: context.currentDirectory) {
      case .success(.existing(let directory)):
        settings.append { $0.directory = directory }
        if let name = output.name {
          do throws(UsageError) {
            try ArgumentPath.checkPlace(of: name, in: directory)
          } catch {
            problems += error.problems
          }
        }
      case .success(.missing(let directory)):
        settings.append { $0.directory = directory }
        newDirectory = directory
      case .failure(let error): problems += error.problems
      }
    } else if options.fetch.continues {
      continueFiles(in: context.currentDirectory)
    }
    if let path = options.caCertificate {
      switch ArgumentPath.readableFile(path, from: context.currentDirectory) {
      case .success(let file): settings.append { $0.caCertificatePath = file }
      case .failure(let error): problems += error.problems
      }
    }
  }

  private mutating func readPrefix(_ text: String, in context: CommandContext) {
    guard let prefix = ObjectPrefix(text) else {
      problems.append(.path(.notAPrefix(text)))
      return
    }
    let endpoint = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]
      .compactMap { context.environment[$0] }.first { !$0.isEmpty }
    if let endpoint, ObjectStoreAccess.endpoint(endpoint) == nil {
      problems.append(.path(.notAnEndpoint(endpoint)))
    }
    settings.append { spec in
      spec.directory = prefix.text
      spec.useStore(in: context)
    }
  }

  /// Lets a file that the command's directory has be continued there: other tools begin it there.
  private mutating func continueFiles(in directory: WorkingDirectory) {
    guard case .success(.existing(let path)) = ArgumentPath.directoryToUse(".", from: directory)
    else { return }
    settings.append { spec in
      if let name = (spec.name ?? FileName(endOf: spec.url))?.text,
        ArgumentPath.isRegularFile(path == "/" ? path + name : path + "/" + name)
      {
        spec.directory = path
      }
    }
  }

  /// Only the service of another machine knows that machine's disk.
  private mutating func readRemotePaths(_ options: AddOptions, _ output: OutputPath) {
    for path in [output.directory, options.caCertificate].compactMap(\.self)
    where !path.hasPrefix("/") {
      problems.append(.path(.relativeOverHost(path)))
    }
    if let path = output.directory {
      settings.append { spec in
        spec.directory = path
        spec.options.makesDirectory = true
      }
    }
    if let path = options.caCertificate { settings.append { $0.caCertificatePath = path } }
  }

  private mutating func readNumbers(
    _ options: AddOptions, _ context: CommandContext
  ) {
    if let count = options.connections {
      if (1...AddOptions.connectionsMax).contains(count) {
        settings.append { $0.connections = count }
      } else {
        problems.append(.value(.connections(count)))
      }
    }
    read(options.limit, with: RateText.typed, orElse: { .rate($0) }) {
      $0.limitBytesPerSecond = $1
    }
    let clock = context.clock
    read(
      options.notBefore, with: { TimeText.parse($0, clock: clock) }, orElse: { .time($0) }
    ) { $0.notBefore = $1 }
    read(options.priority, with: PriorityText.parse, orElse: { .priority($0) }) {
      $0.priority = $1
      if $1 == .normal { $0.options.chosen.insert(.priority) }
    }
  }

  private mutating func readRequest(_ options: AddOptions) {
    for line in options.headers {
      if let name = HeaderField(line)?.name.lowercased(), ["range", "if-range"].contains(name) {
        problems.append(.command(.rangeHeader))
        continue
      }
      read(line, with: { HeaderField($0) }, orElse: { .header($0) }) {
        $0.headers.append($1)
      }
    }
    read(options.checksum, with: { Checksum($0) }, orElse: { .checksum($0) }) {
      $0.checksum = $1
    }
    switch options.user.map(LoginText.init) {
    case .complete(let login): self.login = login
    case .withoutPassword(let user): userWithoutPassword = user
    case .empty: problems.append(.value(.userEmpty))
    case nil: break
    }
  }

  private mutating func readFetch(_ fetch: FetchOptions, _ context: CommandContext) {
    let reader = FetchOptionsReader(fetch, in: context)
    let chosen = reader.options
    settings.append { spec in
      let earlier = spec.options
      spec.options = chosen
      spec.options.chosen.formUnion(earlier.chosen)
      spec.options.makesDirectory = earlier.makesDirectory
    }
    cookies = reader.cookies
    cookiePath = fetch.loadCookies ?? ""
    problems += reader.problems
  }

  private mutating func readChecksumURL(_ options: AddOptions) {
    guard let text = options.checksumURL else { return }
    switch TransferURL.parse(text) {
    case .success(let list): settings.append { $0.options.checksumURL = list.url }
    case .failure(let why): problems.append(.url(text, why))
    }
  }

  private mutating func readQueue(_ options: AddOptions) {
    guard let text = options.queue else { return }
    guard let name = QueueName(text) else { return problems.append(.value(.queue(text))) }
    settings.append { spec in
      spec.options.queue = name == .standard ? nil : name
      if name == .standard { spec.options.chosen.insert(.queue) }
    }
  }

  private mutating func readMirrors(_ options: AddOptions) {
    let countMax = TransferOptions.mirrorCountMax
    if options.mirrors.count > countMax {
      return problems.append(.value(.mirrors(options.mirrors.count)))
    }
    for text in options.mirrors {
      switch TransferURL.parse(text) {
      case .success(let mirror): settings.append { $0.options.mirrors.append(mirror.url) }
      case .failure(let why): problems.append(.url(text, why))
      }
    }
  }

  private mutating func read<Value: Sendable>(
    _ text: String?, with parse: (String) -> Value?,
    orElse problem: (String) -> UsageProblem.ValueProblem,
    set: @escaping @Sendable (inout TransferSpec, Value) -> Void
  ) {
    guard let text else { return }
    guard let value = parse(text) else {
      problems.append(.value(problem(text)))
      return
    }
    settings.append { set(&$0, value) }
  }
}

extension FileName {
  /// The name that other tools give to the file of a URL; nil if its path ends with a slash.
  fileprivate init?(endOf url: TransferURL) {
    guard let last = url.path.split(separator: "/", omittingEmptySubsequences: false).last,
      let text = TransferURL.percentDecoded(last)
    else { return nil }
    self.init(foreign: text)
  }
}
