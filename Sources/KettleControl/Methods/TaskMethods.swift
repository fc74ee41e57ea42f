import KettleModel

/// Ends tasks as cancelled, for their own program. Each becomes `failed` with the code `cancelled`,
/// and is there until it is acknowledged.
package enum CancelTasks: ControlMethod {
  package static let name = "tasks.cancel"

  package struct Params: Codable, Hashable, Sendable {
    package var ids: [TransferID]
    /// What they have stays, to be put aside as resume data.
    package var keepsBytes: Bool

    package init(ids: [TransferID], keepsBytes: Bool) {
      self.ids = ids
      self.keepsBytes = keepsBytes
    }
  }

  package typealias Result = ControlTransfers.Result
}

/// The program was told how these tasks ended and has what it wants of them: they go from the list.
/// A finished file goes too, unless the program had named its place.
package enum AcknowledgeTasks: ControlMethod {
  package static let name = "tasks.acknowledge"

  package struct Params: Codable, Hashable, Sendable {
    package var ids: [TransferID]
    /// What a failed one has is put aside instead.
    package var keepsResumeData: Bool
    /// Nothing is acknowledged: the tokens are made, which are the same ones later, and the tasks
    /// stay as they are. So a program that falls while it is told of a failure is told again.
    package var onlyTokens: Bool?

    package init(ids: [TransferID], keepsResumeData: Bool, onlyTokens: Bool? = nil) {
      self.ids = ids
      self.keepsResumeData = keepsResumeData
      self.onlyTokens = onlyTokens
    }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// By which those put aside are found again; only for `keepsResumeData`.
    package var tokens: [ResumeToken]

    package init(tokens: [ResumeToken]) { self.tokens = tokens }
  }
}

/// Changes what may change while a task lives. What is absent stays as it is.
package enum UpdateTask: ControlMethod {
  package static let name = "tasks.update"

  package struct Params: Codable, Hashable, Sendable {
    package var id: TransferID
    package var programData: String?
    package var priority: TransferPriority?
    /// Of a task that was not started yet; 0 takes the date away.
    package var notBefore: WallTime?
    package var expectedSendByteCount: Int64?
    package var expectedReceiveByteCount: Int64?

    package init(id: TransferID) { self.id = id }
  }

  package typealias Result = Nothing
}

/// Answers the challenge that a task waits with.
package enum AnswerChallenge: ControlMethod {
  package static let name = "tasks.answer"

  package struct Params: Codable, Hashable, Sendable {
    package var id: TransferID
    /// The challenge that is answered; another one by now is not.
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
