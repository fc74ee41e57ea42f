import ArgumentParser
import KettleCollections
import KettleModel

/// The options of `add` and `get` for collections: which files of a source are fetched.
struct CollectionOptions: ParsableArguments {
  @Option(
    name: .customLong("include"), parsing: .singleValue,
    help: ArgumentHelp(
      "Of a collection, only files that match, such as '*.json'; can be repeated.",
      valueName: "pattern"))
  var include: [String] = []

  @Option(
    name: .customLong("exclude"), parsing: .singleValue,
    help: ArgumentHelp(
      "Of a collection, no files that match; can be repeated.", valueName: "pattern"))
  var exclude: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Fetch the files that the directory at a URL ending with / lists, and those of its \
      subdirectories down to this depth; 0 is the directory alone.
      """, valueName: "n"))
  var depth: Int?

  @Option(
    help: ArgumentHelp(
      "Of a collection, which files come first: listed, smallest or largest.",
      valueName: "order"))
  var order: MemberOrder?

  var choice: MemberChoice { MemberChoice(include: include, exclude: exclude, depth: depth) }
}

extension MemberOrder: ExpressibleByArgument {}

/// Reads the sources of collections among the arguments of a command.
struct CollectionReader {
  private let options: CollectionOptions
  private let surroundings: CollectionSurroundings

  init(_ options: CollectionOptions, in context: CommandContext) {
    self.options = options
    surroundings = CollectionSurroundings(context)
  }

  /// What is wrong with the options.
  var problems: [UsageProblem] {
    options.choice.isUsable ? [] : [.value(.memberChoice(depth: options.depth))]
  }

  /// A source as an argument names it.
  struct Named {
    var source: CollectionSource
    var login: Login?
  }

  /// Returns the source that an argument names; nil for one that names a single file.
  func source(_ argument: String) -> Result<Named, UsageError>? {
    let endpoints = surroundings.endpoints
    let found =
      CollectionSource.named(argument, in: endpoints)
      ?? (options.depth == nil ? nil : IndexListing.source(named: argument, in: endpoints))
    return found?.map { Named(source: $0, login: CollectionSource.login(in: argument)) }
      .mapError { UsageError(.collection(argument, $0.words)) }
  }

  /// The transfer that reads the list of a source, with the settings of `template`.
  func spec(for named: Named, _ template: SpecTemplate) -> TransferSpec {
    let source = named.source
    var spec = template.spec(for: TransferURL.Parsed(url: source.url, login: named.login))
    spec.name = nil
    spec.options.collection = CollectionRequest(source, choice: options.choice)
    spec.options.collection?.order = options.order
    if spec.beginning == .paused {
      // Its list can be read, so that the user can choose among its files.
      spec.beginning = .queued
      spec.options.collection?.pausesWhenListed = true
    }
    return surroundings.withToken(spec)
  }
}

/// What the environment of a command says about the sources of collections: other endpoints, and a
/// token.
struct CollectionSurroundings {
  let endpoints: CollectionEnvironment
  private let context: CommandContext

  init(_ context: CommandContext) {
    self.context = context
    endpoints = CollectionEnvironment(context.environment)
  }

  /// Returns a transfer whose source was named without the environment, as the environment wants
  /// it.
  func completed(_ spec: TransferSpec) -> TransferSpec {
    guard let named = spec.options.collection?.source else { return spec }
    var spec = spec
    if case .success(let source)? = CollectionSource.named(named.name, in: endpoints),
      source.kind == named.kind
    {
      spec.options.collection?.source = source
      spec.source = ChainedURL(given: source.url)
    }
    return withToken(spec)
  }

  /// Adds the token of a service that is asked for one. A header of the user's comes first.
  func withToken(_ spec: TransferSpec) -> TransferSpec {
    var spec = spec
    if spec.options.collection?.source.kind == .hub, let token = hubToken,
      !spec.headers.contains(where: { $0.name.lowercased() == "authorization" }),
      let header = HeaderField(name: "Authorization", value: "Bearer " + token)
    {
      spec.headers.append(header)
    }
    return spec
  }

  /// The token that the tools of Hugging Face use
  /// (huggingface.co/docs/huggingface_hub/package_reference/environment_variables). That of this
  /// machine is not sent by the service of another one.
  private var hubToken: String? {
    guard context.host == nil else { return nil }
    let environment = context.environment
    if let token = environment["HF_TOKEN"]?.trimmingBlanks(), !token.isEmpty { return token }
    let home = environment["HOME"] ?? ""
    let cache = environment["XDG_CACHE_HOME"] ?? home + "/.cache"
    let path =
      environment["HF_TOKEN_PATH"]
      ?? (environment["HF_HOME"] ?? cache + "/huggingface") + "/token"
    let bytes = try? ArgumentPath.contents(of: path, byteCountMax: 4096) { _ in true }
    let token = bytes.map { String(decoding: $0, as: UTF8.self).trimmingBlanks() }
    return token?.isEmpty == false ? token : nil
  }
}
