import KettleModel

/// An action of the session table. Actions are performed one after the other, in order.
package enum SessionAction: Hashable, Sendable {
  case keep(SessionRecord)
  /// The same; then `SessionTable.launchRecorded` reports whether it is durable.
  case keepBeforeLaunch(SessionRecord, LaunchID)
  /// Starts the program; `launchStarted` or `launchFailed` follows, and `launchEnded` at its end.
  case launch(SessionID, LaunchID, LaunchCommand)
}

/// Identifies one launch, so that reports of an earlier one are recognized.
package struct LaunchID: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The connection of a program to the service.
package struct SessionHolder: Hashable, Sendable {
  package var connection: UInt64
  package var processID: Int64
  /// Its process session (credentials(7)); nil when unknown. A launched program leads its own,
  /// which identifies it, even behind a script.
  package var processSession: Int64?

  package init(connection: UInt64, processID: Int64, processSession: Int64?) {
    self.connection = connection
    self.processID = processID
    self.processSession = processSession
  }
}

/// Why a launch failed.
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
