import Commands
import Glibc

// The one place that knows both the commands and the service that they may have to become.
let world = CommandWorld.ofThisProcess(
  runService: { await ServiceRunner.run($0) },
  runDemoService: { await ServiceRunner.runDemo($0) })
exit(await runKettle(arguments: Array(CommandLine.arguments.dropFirst()), world: world))
