import ArgumentParser
import KettleControl
import KettleModel

/// `kettle accept`
struct AcceptCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Accept a web page as the file, or a server that is not trusted.",
    discussion: """
      A transfer needs a decision when a web page arrived under a name such as disk.iso: a login \
      page, for example, or an error with status 200. The page stays NAME.part until it is \
      accepted; "kettle start" requests the file again.

      It also needs one when the system does not trust the server's certificate, or when the host \
      key of an SFTP server is not in ~/.ssh/known_hosts. "kettle why" shows the certificate or \
      the key. Accepting trusts it for the transfer, with --remember for every \
      transfer from that host.

      Examples:
        kettle accept 3
        kettle accept 4 --remember
      """)

  static var repeatedType: (any ExpressibleByArgument.Type)? { TransferID.self }

  @Argument(
    help: ArgumentHelp("The id of a transfer, as shown by \"kettle list\".", valueName: "id"),
    completion: .asking(.transfers))
  var idRuns: [ValueRun<TransferID>]

  @Flag(help: "Trust the server for every transfer from the host, now and later.")
  var remember = false

  private var ids: [TransferID] { idRuns.flatMap(\.values) }

  func run(in context: CommandContext) async throws -> ExitCode {
    let runner = ControlRunner(verb: .accept, selection: .ids(ids), context: context)
    let exitCode = try await runner.run()
    return remember && exitCode == .done ? try await runner.remember() : exitCode
  }
}
