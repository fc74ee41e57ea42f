import KettleModel

/// The server of the demo by itself, while it serves.
package struct DemoServer: Sendable {
  package var port: Int
  /// What it serves.
  package var paths: [String]
  /// Closes its connections and releases its port.
  package var stop: @Sendable () async -> Void

  package init(port: Int, paths: [String], stop: @escaping @Sendable () async -> Void) {
    self.port = port
    self.paths = paths
    self.stop = stop
  }
}

/// Why the server of the demo did not start.
package struct DemoServerProblem: Error, Hashable, Sendable {
  /// The number of errno(3), if there is one.
  package var errorNumber: Int32?

  package init(errorNumber: Int32?) { self.errorNumber = errorNumber }
}

package typealias DemoServerStarting =
  @Sendable (_ port: Int) async -> Result<DemoServer, DemoServerProblem>

/// `kettle demo --serve`: the files of the demo for other commands, until it is interrupted.
struct DemoServing {
  let context: CommandContext
  let port: Int

  /// Prints the URLs, and returns when the server has stopped.
  ///
  /// - Throws: `DemoProblem` if the port cannot be used, `ConsoleError` if the URLs cannot be
  ///   printed.
  func run() async throws -> ExitCode {
    let interruptions = context.interruptions.interruptions()
    let server: DemoServer
    switch await context.startDemoServer(port) {
    case .success(let started): server = started
    case .failure(let problem):
      throw DemoProblem.portUnusable(port: port, detail: problem.errorNumber.map(errnoText))
    }
    do {
      try context.console.write(Sentences.demoServer(server), to: .output)
    } catch {
      await server.stop()
      throw error
    }
    for await _ in interruptions { break }
    await server.stop()
    return .done
  }
}
