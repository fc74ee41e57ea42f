import ArgumentParser
import KettleClient
import KettleStarter

/// `kettle daemon pipe`: runs on the other machine for `kettle --host`.
struct DaemonPipeCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pipe", abstract: "Connect standard input and output to the service.",
    shouldDisplay: false)
  static let isForThisMachineOnly = true

  @Flag(help: ArgumentHelp("", visibility: .hidden))
  var ifRunning = false

  func run(in context: CommandContext) async throws -> ExitCode {
    do {
      try await context.services.pipe(to: context.address, startIfNeeded: !ifRunning)
      return .done
    } catch ClientError.notRunning where ifRunning {
      return ExitCode(rawValue: RemoteStarter.notRunningStatus)
    } catch let error as ClientError {
      guard case .notAnswering = error else { throw error }
      context.console.printError(error.sentence)
      return ExitCode(rawValue: RemoteStarter.notAnsweringStatus)
    }
  }
}
