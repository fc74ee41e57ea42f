import KettleClient
import KettleConfiguration
import KettleControl
import KettleModel
import KettleStarter
import KettleSystem

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
      .init("priority", .string(orNull: priority.map(Sentences.priority))),
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
