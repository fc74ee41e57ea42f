import ArgumentParser
import KettleControl
import KettleModel

/// `kettle accept`
struct AcceptCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Accept a web page that arrived in place of a file.",
    discussion: """
      A transfer needs a decision when a web page arrived under a name such as disk.iso: a login \
      page, for example, or an error with status 200. The page stays NAME.part until it is \
      accepted; "kettle start" requests the file again.

      Example:
        kettle accept 3
      """)

  @Argument(
    help: ArgumentHelp("The id of a transfer, as shown by \"kettle list\".", valueName: "id"))
  var ids: [TransferID]

  func run(in context: CommandContext) async throws -> ExitCode {
    try await ControlRunner(verb: .accept, selection: .ids(ids), context: context).run()
  }
}
