import Commands
import Glibc
import TransferDaemon

// The one place that knows both the commands and the service that they may have to become.
let world = CommandWorld.ofThisProcess(
  runService: { await ServiceRunner.run($0) },
  runDemoService: { await ServiceRunner.runDemo($0) })
let arguments = Array(CommandLine.arguments.dropFirst())
exit(await TaskThreads.run { await runKettle(arguments: arguments, world: world) })
