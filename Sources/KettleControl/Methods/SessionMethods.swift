import KettleModel

/// Makes a session, or comes back to one. From now on this connection is the session's program:
/// until it ends, another one is refused with `sessionInUse`, and nothing is launched. A second
/// call on the same connection changes the options.
///
/// A client asks for `events.watch` first, so that nothing happens unseen in between.
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
    /// By task identifier; those put aside as resume data are not among them.
    package var tasks: [SessionTask]
    /// The largest task identifier ever given in the session; 0 in a new one.
    package var lastTaskIdentifier: Int64

    package init(tasks: [SessionTask], lastTaskIdentifier: Int64) {
      self.tasks = tasks
      self.lastTaskIdentifier = lastTaskIdentifier
    }
  }
}

/// A task as its own program gets it back.
package struct SessionTask: Codable, Hashable, Sendable {
  package var snapshot: TransferSnapshot
  package var spec: TransferSpec

  package init(snapshot: TransferSnapshot, spec: TransferSpec) {
    self.snapshot = snapshot
    self.spec = spec
  }
}

/// All sessions, also those whose program never came back.
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
  /// nil while nobody is connected.
  package var processID: Int64?
  /// Of a program that is connected, when it was asked.
  package var lastSeenAt: WallTime
  package var launch: LaunchCommand?
  package var sendsLaunchEvents: Bool
  /// How many tasks are in each state, as in `Totals`.
  package var counts: [String: Int]
  /// Finished, and its program was not told yet.
  package var untoldCount: Int
  /// What went wrong with its program last: it could not be launched, or never said it was done.
  package var notice: LaunchNotice?

  package init(
    id: SessionID, processID: Int64?, lastSeenAt: WallTime, launch: LaunchCommand?,
    sendsLaunchEvents: Bool, counts: [String: Int], untoldCount: Int, notice: LaunchNotice?
  ) {
    self.id = id
    self.processID = processID
    self.lastSeenAt = lastSeenAt
    self.launch = launch
    self.sendsLaunchEvents = sendsLaunchEvents
    self.counts = counts
    self.untoldCount = untoldCount
    self.notice = notice
  }
}

/// What a launch came to, when it came to nothing.
package struct LaunchNotice: Codable, Hashable, Sendable {
  package enum Problem: String, Codable, Hashable, Sendable {
    /// It could not be run at all; `detail` is the name of the errno.
    case notRun
    /// It ended before it said that it was done; `detail` is `exit 1` or `signal 11`.
    case ended
    /// It did not say within 30 seconds that it was done.
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

/// The launched program has taken everything and was told so: the handler was called.
package enum FinishEvents: ControlMethod {
  package static let name = "sessions.finishEvents"

  package struct Params: Codable, Hashable, Sendable {
    package var session: SessionID

    package init(session: SessionID) { self.session = session }
  }

  package typealias Result = Nothing
}

/// Makes the transfers of a session whose program is not connected the user's own: they go to the
/// session `kettle`. Files that are finished stay where they are, which is told.
package enum AdoptSession: ControlMethod {
  package static let name = "sessions.adopt"
  package typealias Params = FinishEvents.Params

  package struct Result: Codable, Hashable, Sendable {
    package var ids: [TransferID]
    /// Those of them whose file is finished; nil of `sessions.drop`.
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

/// Removes a session whose program is not connected, with its transfers and all that its program
/// did not take. A session that is invalidated drops itself so.
package enum DropSession: ControlMethod {
  package static let name = "sessions.drop"
  package typealias Params = FinishEvents.Params
  package typealias Result = AdoptSession.Result
}
