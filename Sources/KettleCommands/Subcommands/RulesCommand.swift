import ArgumentParser
import KettleConfiguration
import KettleControl
import KettleModel
import KettleSocket
import KettleStarter
import KettleSystem

/// `kettle rules`
struct RulesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "Show the rules of the configuration file, or which one applies to a URL.",
    discussion: """
      A rule sets the directory, title, limit, priority, number of connections or queue of the \
      downloads that it matches by host, extension, MIME type or name. The first rule that \
      matches counts, and what you choose for a download comes before it. The rules are [[rules]] \
      in the configuration file; kettle-config(5) describes their keys.

      Examples:
        kettle rules
        kettle rules test https://example.org/disk.iso
        kettle rules test --type video/mp4 https://example.org/watch
      """,
    subcommands: [RulesListCommand.self, RulesTestCommand.self],
    defaultSubcommand: RulesListCommand.self)
}

/// `kettle rules list`, which is `kettle rules`
struct RulesListCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the rules in their order.",
    discussion: """
      Programs should use --json: an array of objects with rule, conditions (host, extension, type \
      and name, each an array) and effects (directory, title, limitBytesPerSecond, priority as \
      in the file, connections and queue, each null if the rule leaves it alone). Exits with 2 if \
      something in the file is wrong; a wrong rule is left out.
      """)

  static var isForThisMachineOnly: Bool { true }

  @Flag(help: "Print JSON.")
  var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    let user = UserRules(in: context)
    for notice in user.notices { context.console.printError(notice) }
    if json {
      var printer = try JSONArrayPrinter(on: context.console)
      try printer.print(user.rules.rules.map(\.json))
      try printer.end()
    } else if user.rules.rules.isEmpty {
      context.console.printNote(Sentences.noRules(user.path))
    } else {
      for rule in user.rules.rules {
        for line in Sentences.of(rule) { try context.console.printLine(line) }
      }
    }
    return user.notices.isEmpty ? .done : .refused
  }
}

/// `kettle rules test`
struct RulesTestCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Say which rule applies to a URL, and what it sets.",
    discussion: """
      Nothing is fetched: without --type, rules that depend on the type are named as undecided. \
      The name is the one in the URL; the server may give another. Exits with 0 if a rule applies, \
      and with 1 otherwise.

      With --json it prints an object with rule (its number or null), conditions (host, extension, \
      type and name: which of them hold, or null), effects (as "kettle rules list --json") and \
      undecided (the numbers of rules before it that may apply instead).

      Examples:
        kettle rules test https://example.org/disk.iso
        kettle rules test --type video/mp4 https://example.org/watch
      """)

  static var isForThisMachineOnly: Bool { true }

  @Argument(help: ArgumentHelp("The URL of a download.", valueName: "url"))
  var url: String

  @Option(help: ArgumentHelp("The MIME type that the server gives.", valueName: "type"))
  var type: String?

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("The name of the file; default: the one in the URL.", valueName: "name"))
  var name: String?

  @Flag(help: "Print JSON.")
  var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    let transfer = try circumstances()
    let user = UserRules(in: context)
    for notice in user.notices { context.console.printError(notice) }
    let decision = user.rules.decision(on: transfer)
    let effects = decision.match.map {
      user.rules.resolved($0.rule.effects, host: transfer.host, name: transfer.name)
    }
    if json {
      try context.console.printLine(decision.json(effects).text)
    } else {
      for line in Sentences.of(decision, effects) { try context.console.printLine(line) }
    }
    return decision.match == nil ? .transferFailed : .done
  }

  private func circumstances() throws -> TransferRule.Circumstances {
    switch TransferURL.parse(url) {
    case .failure(let why): throw UsageError([.url(url, why)])
    case .success(let parsed):
      if let name, FileName.problem(ofUserGiven: name) != nil {
        throw UsageError([.value(.fileName(name))])
      }
      let type = type.map { String($0.prefix { $0 != ";" }).trimmingBlanks() }
      return TransferRule.Circumstances(
        host: parsed.url.host, name: name ?? parsed.url.lastSegment,
        type: type.map { .known($0) } ?? .pending)
    }
  }
}

/// The rules in the configuration file of this process's user, as the service reads them.
struct UserRules {
  /// Where the file is.
  let path: String
  let rules: TransferRules
  /// What is wrong with the file, one sentence each.
  let notices: [String]

  init(in context: CommandContext) {
    let paths = ServicePaths.of(environment: context.environment)
    path = paths.configPath
    let file = ConfigurationFile(
      path: path,
      contents: FileContents.read(path: path, byteCountMax: ConfigurationFile.byteCountMax))
    let (configuration, notices) = file.serviceConfiguration()
    self.notices = notices
    rules = TransferRules(
      configuration.rules(home: paths.homeDirectory),
      documentsDirectory: configuration.downloadsDirectory(home: paths.homeDirectory)
        ?? paths.documentsDirectory)
  }
}

extension TransferRule {
  var json: JSONValue {
    .object([
      .init("rule", .integer(Int64(number))),
      .init(
        "conditions",
        .object([
          .init("host", .array(conditions.hosts.map { .string($0) })),
          .init("extension", .array(conditions.fileExtensions.map { .string($0) })),
          .init("type", .array(conditions.types.map { .string($0.text) })),
          .init("name", .array(conditions.names.map { .string($0.text) })),
        ])),
      .init("effects", effects.json),
    ])
  }
}

extension TransferRule.Effects {
  var json: JSONValue {
    .object([
      .init("directory", .string(orNull: directory)),
      .init("title", .string(orNull: title)),
      .init("limitBytesPerSecond", .integer(orNull: limitBytesPerSecond)),
      .init("priority", .string(orNull: priority.map(PriorityText.text))),
      .init("connections", .integer(orNull: connections.map(Int64.init))),
      .init("queue", .string(orNull: queue?.text)),
    ])
  }
}

extension TransferRules.Decision {
  /// - Parameter effects: what the rule that matches sets.
  func json(_ effects: TransferRule.Effects?) -> JSONValue {
    .object([
      .init("rule", .integer(orNull: match.map { Int64($0.rule.number) })),
      .init("conditions", match?.use.json ?? .null),
      .init("effects", effects?.json ?? .null),
      .init("undecided", .array(open.map { .integer(Int64($0)) })),
    ])
  }
}

extension RuleUse {
  fileprivate var json: JSONValue {
    .object([
      .init("host", .string(orNull: host)),
      .init("extension", .string(orNull: fileExtension)),
      .init("type", .string(orNull: type)),
      .init("name", .string(orNull: name)),
    ])
  }
}
