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

extension AttachSession.Params: BoundedParams {
  var problem: ControlError? {
    session.problemAsPrograms
      ?? options.refusedPart.map { ControlError(.refusedSpec, "params.options.\($0)") }
  }
}

extension SessionID {
  /// What is wrong with it as the name of a program's session.
  fileprivate var problemAsPrograms: ControlError? {
    isUsable && self != .kettle ? nil : ControlError(.refusedSpec, "params.session")
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

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    snapshot = try container.decode(TransferSnapshot.self, forKey: .snapshot)
    spec = try TransferSpec(recorded: container.superDecoder(forKey: .spec))
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

extension FinishEvents.Params: BoundedParams {
  var problem: ControlError? { session.problemAsPrograms }
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

/// Ends tasks as cancelled, for their own program. Each becomes `failed` with the code `cancelled`
/// and stays until it is acknowledged.
package enum CancelTasks: ControlMethod {
  package static let name = "tasks.cancel"

  package struct Params: Codable, Hashable, Sendable {
    package var ids: [TransferID]
    /// Their bytes stay, to be put aside as resume data.
    package var keepsBytes: Bool

    package init(ids: [TransferID], keepsBytes: Bool) {
      self.ids = ids
      self.keepsBytes = keepsBytes
    }
  }

  package typealias Result = ControlTransfers.Result
}

/// Acknowledges the end of tasks: the program knows how they ended and has what it needs, so they
/// leave the list. A finished file is deleted too, unless the program had chosen its place.
package enum AcknowledgeTasks: ControlMethod {
  package static let name = "tasks.acknowledge"

  package struct Params: Codable, Hashable, Sendable {
    package var ids: [TransferID]
    /// The bytes of a failed task are put aside instead.
    package var keepsResumeData: Bool
    /// Nothing is acknowledged: only the tokens are made, which stay the same later, and the tasks
    /// are unchanged. A program that crashes while a failure is reported to it receives the report
    /// again.
    package var onlyTokens: Bool?

    package init(ids: [TransferID], keepsResumeData: Bool, onlyTokens: Bool? = nil) {
      self.ids = ids
      self.keepsResumeData = keepsResumeData
      self.onlyTokens = onlyTokens
    }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// The tokens of the tasks put aside; only for `keepsResumeData`.
    package var tokens: [ResumeToken]

    package init(tokens: [ResumeToken]) { self.tokens = tokens }
  }
}

/// Changes the mutable properties of a task. Absent ones stay unchanged.
package enum UpdateTask: ControlMethod {
  package static let name = "tasks.update"

  package struct Params: Codable, Hashable, Sendable {
    package var id: TransferID
    package var programData: String?
    /// Displayed in place of the file name; an empty one is none. At most
    /// `TaskOptions.subtitleByteCountMax`, like the subtitle.
    package var title: String?
    package var subtitle: String?
    package var priority: TransferPriority?
    /// For a task that was not started yet; 0 removes the date.
    package var notBefore: WallTime?
    package var asksBeforeBeginning: Bool?
    package var expectedSendByteCount: Int64?
    package var expectedReceiveByteCount: Int64?
    /// For a task that has ended: what its program has received.
    package var delivered: DeliveredPart?

    package init(id: TransferID) { self.id = id }
  }

  package typealias Result = Nothing
}

extension UpdateTask.Params: BoundedParams {
  var problem: ControlError? {
    if let title, title.utf8.count > TaskOptions.subtitleByteCountMax {
      return ControlError(.refusedSpec, "params.title")
    }
    var options = TaskOptions(kind: .download)
    options.programData = programData
    options.subtitle = subtitle
    options.expectedSendByteCount = expectedSendByteCount
    options.expectedReceiveByteCount = expectedReceiveByteCount
    return options.refusedPart.map { ControlError(.refusedSpec, "params.\($0)") }
  }
}

/// Answers the challenge that a task is waiting on.
package enum AnswerChallenge: ControlMethod {
  package static let name = "tasks.answer"

  package struct Params: Codable, Hashable, Sendable {
    package var id: TransferID
    /// The challenge that is answered. The answer does not apply to a newer one.
    package var challenge: ServerChallenge
    package var answer: ChallengeAnswer

    package init(id: TransferID, challenge: ServerChallenge, answer: ChallengeAnswer) {
      self.id = id
      self.challenge = challenge
      self.answer = answer
    }
  }

  package typealias Result = ControlTransfers.Result
}

extension AnswerChallenge.Params: BoundedParams {
  var problem: ControlError? {
    answer.isUsable ? nil : ControlError(.refusedSpec, "params.answer")
  }
}
