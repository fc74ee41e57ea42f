import FoundationEssentials

extension CommandWorld {
  /// The world of this process.
  package static func ofThisProcess(
    runService: @escaping @Sendable (ServiceRunOptions) async -> Int32,
    runDemoService: @escaping @Sendable (ServiceRunOptions) async -> Int32
  ) -> CommandWorld {
    CommandWorld(
      environment: ProcessInfo.processInfo.environment,
      currentDirectory: FileManager.default.currentDirectoryPath,
      console: TerminalConsole(), clock: SystemClock(), services: SocketServiceDoor(),
      interruptions: ProcessSignals(), dashboard: TerminalDashboard(),
      runService: runService, runDemoService: runDemoService)
  }
}
