import KettleCommands
import Glibc
import KettleDaemon

// Before the first thread, which is started by the first await below.
if let problem = StartCheck.problem() {
  TerminalConsole().complain(problem)
  exit(ExitCode.serviceUnreachable.rawValue)
}

// The one place that knows both the commands and the service that they may have to become.
let world = CommandWorld.ofThisProcess(
  runService: { await ServiceRunner.run($0) },
  runDemoService: { await ServiceRunner.runDemo($0) })
let arguments = Array(CommandLine.arguments.dropFirst())
exit(await TaskThreads.run { await runKettle(arguments: arguments, world: world) })
