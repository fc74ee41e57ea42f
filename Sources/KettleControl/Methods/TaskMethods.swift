import KettleModel

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
