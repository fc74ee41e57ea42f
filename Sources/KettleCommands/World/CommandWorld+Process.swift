import FoundationEssentials

extension CommandContext {
  /// The world of this process.
  package static func ofThisProcess(
    runService: @escaping @Sendable (ServiceRunOptions) async -> Int32,
    runDemoService: @escaping @Sendable (ServiceRunOptions) async -> Int32
  ) -> CommandContext {
    CommandContext(
      environment: ProcessInfo.processInfo.environment,
      currentDirectory: FileManager.default.currentDirectoryPath,
      console: TerminalConsole(), clock: SystemClock(), services: SocketServiceConnector(),
      interruptions: ProcessSignals(), dashboard: TerminalDashboard(),
      runService: runService, runDemoService: runDemoService)
  }
}
