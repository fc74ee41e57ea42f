import Glibc
import KettleCommands
import KettleDaemon
import KettleFiles
import KettleStore
import KettleSystem

// Before anything is opened.
StandardDescriptors.occupy()
// Must precede the first thread, which the first await below starts.
if let problem = StartCheck.problem() {
  TerminalConsole().printError(problem)
  exit(ExitCode.serviceUnreachable.rawValue)
}

// The only place that knows both the commands and the services that they may become.
let context = CommandContext.ofThisProcess(
  runService: { await ServiceRunner.run($0) },
  runDemoService: { await ServiceRunner.runDemo($0) },
  startDemoServer: { await ServiceRunner.startDemoServer(port: $0) },
  readBrowserCookies: BrowserCookieReader.read,
  compareWithManifest: ManifestComparison.standing)
let arguments = Array(CommandLine.arguments.dropFirst())
let programName = CommandLine.arguments.first?.split(separator: "/").last ?? "kettle"
exit(
  await TaskThreads.run {
    switch programName {
    // The same program under the name of the one that it stands in for.
    case "kettle-aria2c", "aria2c": await runAria2c(arguments: arguments, context: context)
    // Browsers start programs without arguments of their choice.
    case "kettle-native-host": await runNativeHost(context: context)
    default: await runKettle(arguments: arguments, context: context)
    }
  })
