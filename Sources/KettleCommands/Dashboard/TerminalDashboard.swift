import Glibc
import KettleDashboard
import KettleModel
import KettleTerminal

/// The dashboard on this process's terminal.
package struct TerminalDashboard: DashboardPresenter {
  package init() {}

  package func open(
    _ request: DashboardRequest, in context: CommandContext
  ) async throws -> DashboardOutcome {
    let session = try await DashboardSession.open(request, in: context)
    let end: KettleTerminal.DashboardEnd
    do {
      end = try await show(session, for: request, in: context)
    } catch {
      await session.close()
      throw error
    }
    let continuingCount = session.continuingCount
    await session.close()
    switch end {
    case .left: return .left(continuingCount: continuingCount)
    case .signalled(TimedTerminal.signal): return .limitReached
    case .signalled(let number): return .ended(ExitCode(rawValue: 128 + number))
    case .hungUp: return .ended(ExitCode(rawValue: 128 + SIGHUP))
    }
  }

  private func show(
    _ session: DashboardSession, for request: DashboardRequest, in context: CommandContext
  ) async throws -> KettleTerminal.DashboardEnd {
    let runner = try Self.runner(session, for: request, in: context)
    if request.filesAreHere {
      let home = context.environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      let directories = UserDirectories(home: home, workingDirectory: context.currentDirectory.path)
      runner.post(.directoriesKnown(directories))
    }
    let messages = session.messages
    let forwarding = Task {
      for await message in messages { runner.post(message) }
    }
    defer { forwarding.cancel() }
    do throws(TerminalProblem) {
      return try await runner.runOnOwnThread()
    } catch {
      throw DashboardUnavailable(sentence: error.sentence)
    }
  }

  private static func runner(
    _ session: DashboardSession, for request: DashboardRequest, in context: CommandContext
  ) throws(DashboardUnavailable) -> DashboardRunner {
    do {
      let deadline = request.limitMilliseconds.map {
        context.clock.now().monotonic.advanced(byMilliseconds: $0)
      }
      var settings = DashboardSettings.ofUser(environment: context.environment)
      settings.terminal.isASCII = request.isASCII
      settings.choices = request.choicesFile.read()
      let backend = TimedTerminal(
        try NcursesTerminal(settings.terminal), clock: context.clock, deadline: deadline)
      return DashboardRunner(backend: backend, settings: settings) { session.perform($0) }
    } catch {
      throw DashboardUnavailable(sentence: error.sentence)
    }
  }
}
