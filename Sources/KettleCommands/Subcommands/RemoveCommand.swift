import ArgumentParser
import KettleControl
import KettleModel

/// `kettle remove`
struct RemoveCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove transfers from the list.",
    discussion: """
      A partial file goes to the bin with its transfer; a finished file stays, unless --with-file \
      is given and the file was not modified since. For ten minutes, "kettle undo" brings \
      everything back. On a terminal, --all asks first. Without a terminal it does not ask, but \
      --with-file requires --yes.

      Examples:
        kettle remove 3
        kettle remove --with-file 3
        kettle remove --all --yes
      """)

  static var repeatedType: (any ExpressibleByArgument.Type)? { TransferID.self }

  @OptionGroup var options: ControlOptions

  @Flag(help: "Move the finished file to the bin too.")
  var withFile = false

  @Flag(name: [.short, .long], help: "Do not ask.")
  var yes = false

  func run(in context: CommandContext) async throws -> ExitCode {
    let selection = try options.selection(for: "remove")
    if options.areMany, !yes {
      let mayAsk = context.console.isInputTerminal
      if withFile, !mayAsk {
        throw UsageError(
          .command(.confirmationNeedsTerminal(command: "remove --all --with-file")))
      }
      if mayAsk,
        try !context.console.confirms(Sentences.removeAllQuestion(withFiles: withFile))
      {
        context.console.printNote(Sentences.nothingChanged)
        return .interrupted
      }
    }
    return try await ControlRunner(
      verb: withFile ? .removeWithFile : .remove, selection: selection, context: context
    ).run()
  }
}
