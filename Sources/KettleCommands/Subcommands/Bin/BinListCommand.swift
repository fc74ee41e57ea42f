import ArgumentParser
import KettleClient
import KettleControl

/// `kettle bin list`, which is `kettle bin`
struct BinListCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List what can be undone, the latest first.",
    discussion: """
      Programs should use --json: an array of objects with number, kind (stop, remove, \
      removeWithFile, reset or clear), at, expiresAt, transferCount, byteCount and title (of the \
      first transfer, or null).
      """)

  @Flag(help: "Print JSON.")
  var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    try await context.withService(for: "kettle bin") { service in
      let actions = try await service.call(ListBin.self, .init()).actions
      if json {
        var printer = try JSONArrayPrinter(on: context.console)
        try printer.print(actions.map(\.json))
        try printer.end()
      } else if actions.isEmpty {
        context.console.printNote(Sentences.binEmpty)
      } else {
        for action in actions {
          try context.console.printLine(Sentences.of(action, context.clock))
        }
      }
      return .done
    }
  }
}
