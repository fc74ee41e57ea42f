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

  @Flag(
    help: "Follow links of a directory that the server's robots.txt asks programs to leave alone.")
  var ignoreRobots = false

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
    spec.options.collection?.ignoresRobots = options.ignoreRobots ? true : nil
    if spec.beginning == .paused {
      // Its list can be read, so that the user can choose among its files.
      spec.beginning = .queued
      spec.options.collection?.pausesWhenListed = true
    }
    return surroundings.withSecret(spec)
  }
}
