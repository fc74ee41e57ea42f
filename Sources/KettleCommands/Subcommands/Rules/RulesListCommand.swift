import ArgumentParser
import KettleModel

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
