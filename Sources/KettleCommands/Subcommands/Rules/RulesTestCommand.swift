import ArgumentParser
import KettleControl
import KettleModel

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
