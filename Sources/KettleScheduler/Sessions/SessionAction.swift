import KettleModel

/// What a table of sessions wants done. Actions are done one after the other, in their order.
package enum SessionAction: Hashable, Sendable {
  case keep(SessionRecord)
  /// The same, and then `SessionTable.launchRecorded` says whether it is in the store for good.
  case keepBeforeLaunch(SessionRecord, LaunchID)
  /// Starts the program; `launchStarted` or `launchFailed` follows, and `launchEnded` at its end.
  case launch(SessionID, LaunchID, LaunchCommand)
}

/// Names one launch, so that what is heard of an earlier one is told apart.
package struct LaunchID: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The connection of a program to the service.
package struct SessionHolder: Hashable, Sendable {
  package var connection: UInt64
  package var processID: Int64
  /// The process session that it is in (credentials(7)); nil when it cannot be told. A launched
  /// program leads one of its own, so this is how it is known again, also behind a script.
  package var processSession: Int64?

  package init(connection: UInt64, processID: Int64, processSession: Int64?) {
    self.connection = connection
    self.processID = processID
    self.processSession = processSession
  }
}

/// What went wrong with a launch.
package struct LaunchTrouble: Hashable, Sendable {
  package enum Problem: Hashable, Sendable {
    /// The name of the errno.
    case notRun(String)
    /// `exit 1` or `signal 11`
    case ended(String)
    case silent
  }

  package var problem: Problem
  package var at: WallTime

  package init(problem: Problem, at: WallTime) {
    self.problem = problem
    self.at = at
  }
}
