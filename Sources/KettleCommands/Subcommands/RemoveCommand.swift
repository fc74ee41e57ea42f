import ArgumentParser
import KettleControl

/// `kettle remove`
struct RemoveCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Take transfers off the list.",
    discussion: """
      A partial file goes with its transfer; a finished file stays, unless --with-file is given \
      and it is still what Kettle wrote. On a terminal, --all asks first. Without one it does \
      not, except that --with-file wants --yes.

      Examples:
        kettle remove 3
        kettle remove --with-file 3
        kettle remove --all --yes
      """)

  @OptionGroup var options: ControlOptions

  @Flag(help: "Delete the finished file too.")
  var withFile = false

  @Flag(name: [.short, .long], help: "Do not ask.")
  var yes = false

  func run(in world: CommandContext) async throws -> ExitCode {
    let selection = try options.selection(for: "remove")
    if options.all, !yes {
      let mayAsk = world.console.isInputTerminal
      if withFile, !mayAsk {
        throw UsageError(
          .command(.confirmationNeedsTerminal(command: "remove --all --with-file")))
      }
      if mayAsk,
        try !world.console.confirms(Sentences.removeAllQuestion(withFiles: withFile))
      {
        world.console.mention(Sentences.nothingChanged)
        return .interrupted
      }
    }
    return try await ControlRunner(
      verb: withFile ? .removeWithFile : .remove, selection: selection, world: world
    ).run()
  }
}
