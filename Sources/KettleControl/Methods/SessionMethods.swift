import KettleModel

/// Creates a session or returns to one. From now on this connection is the session's program: until
/// it ends, another one is refused with `sessionInUse`, and nothing is launched. A second call on
/// the same connection changes the options.
///
/// A client sends `events.watch` first, so that it misses no event in between.
package enum AttachSession: ControlMethod {
  package static let name = "sessions.attach"

  package struct Params: Codable, Hashable, Sendable {
    package var session: SessionID
    package var options: SessionOptions

    package init(session: SessionID, options: SessionOptions) {
      self.session = session
      self.options = options
    }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// By task identifier, without those put aside as resume data.
    package var tasks: [SessionTask]
    /// The largest task identifier ever assigned in the session; 0 in a new one.
    package var lastTaskIdentifier: Int64

    package init(tasks: [SessionTask], lastTaskIdentifier: Int64) {
      self.tasks = tasks
      self.lastTaskIdentifier = lastTaskIdentifier
    }
  }
}

/// A task as returned to its own program.
package struct SessionTask: Codable, Hashable, Sendable {
  package var snapshot: TransferSnapshot
  package var spec: TransferSpec

  package init(snapshot: TransferSnapshot, spec: TransferSpec) {
    self.snapshot = snapshot
    self.spec = spec
  }
}

/// Lists all sessions, including those whose program never returned.
package enum ListSessions: ControlMethod {
  package static let name = "sessions.list"
  package typealias Params = Nothing

  package struct Result: Codable, Hashable, Sendable {
    package var sessions: [SessionSummary]

    package init(sessions: [SessionSummary]) { self.sessions = sessions }
  }
}

package struct SessionSummary: Codable, Hashable, Sendable {
  package var id: SessionID
  /// nil while no program is connected.
  package var processID: Int64?
  /// For a connected program, the time of the request.
  package var lastSeenAt: WallTime
  package var launch: LaunchCommand?
  package var sendsLaunchEvents: Bool
  /// The number of tasks in each state, as in `Totals`.
  package var counts: [String: Int]
  /// The number of finished tasks not reported to the program yet.
  package var unreportedCount: Int
  /// The last problem with its program: it could not be launched, or never reported that it was
  /// done.
  package var notice: LaunchNotice?

  package init(
    id: SessionID, processID: Int64?, lastSeenAt: WallTime, launch: LaunchCommand?,
    sendsLaunchEvents: Bool, counts: [String: Int], unreportedCount: Int, notice: LaunchNotice?
  ) {
    self.id = id
    self.processID = processID
    self.lastSeenAt = lastSeenAt
    self.launch = launch
    self.sendsLaunchEvents = sendsLaunchEvents
    self.counts = counts
    self.unreportedCount = unreportedCount
    self.notice = notice
  }
}

/// The result of a failed launch.
package struct LaunchNotice: Codable, Hashable, Sendable {
  package enum Problem: String, Codable, Hashable, Sendable {
    /// It could not be run at all; `detail` is the name of the errno.
    case notRun
    /// It ended before it reported that it was done; `detail` is `exit 1` or `signal 11`.
    case ended
    /// It did not report within 30 seconds that it was done.
    case silent
  }

  package var problem: Problem
  package var at: WallTime
  package var detail: String?

  package init(problem: Problem, at: WallTime, detail: String? = nil) {
    self.problem = problem
    self.at = at
    self.detail = detail
  }
}

/// The launched program has received every event and its handler was called.
package enum FinishEvents: ControlMethod {
  package static let name = "sessions.finishEvents"

  package struct Params: Codable, Hashable, Sendable {
    package var session: SessionID

    package init(session: SessionID) { self.session = session }
  }

  package typealias Result = Nothing
}

/// Moves the transfers of a session whose program is not connected to the user's session `kettle`.
/// Finished files stay where they are, and the reply lists them.
package enum AdoptSession: ControlMethod {
  package static let name = "sessions.adopt"
  package typealias Params = FinishEvents.Params

  package struct Result: Codable, Hashable, Sendable {
    package var ids: [TransferID]
    /// The transfers with a finished file; nil for `sessions.drop`.
    package var finished: [FinishedTransfer]?

    package init(ids: [TransferID], finished: [FinishedTransfer]? = nil) {
      self.ids = ids
      self.finished = finished
    }
  }
}

package struct FinishedTransfer: Codable, Hashable, Sendable {
  package var id: TransferID
  package var path: String

  package init(id: TransferID, path: String) {
    self.id = id
    self.path = path
  }
}

/// Removes a session whose program is not connected, with its transfers and everything that its
/// program did not take. An invalidated session drops itself this way.
package enum DropSession: ControlMethod {
  package static let name = "sessions.drop"
  package typealias Params = FinishEvents.Params
  package typealias Result = AdoptSession.Result
}
