import TransferCore
import TransferModel

/// What the programs of sessions ask.
extension TransferEngine {
  package func cancelTasks(
    _ ids: [TransferID], keepsBytes: Bool
  ) async -> [Brain.ControlResult] {
    ids.map { _ in .unknown }
  }

  package func acknowledgeTasks(
    _ ids: [TransferID], keepsResumeData: Bool
  ) async -> [ResumeToken] { [] }

  package func updateTask(_ id: TransferID, _ changes: TaskChanges) async -> Brain.ControlResult {
    .unknown
  }

  package func answerChallenge(
    of id: TransferID, _ challenge: ServerChallenge, _ answer: ChallengeAnswer
  ) async -> Brain.ControlResult { .unknown }

  /// Without those put aside as resume data, by task identifier.
  package func tasks(of session: SessionID) -> [(snapshot: TransferSnapshot, spec: TransferSpec)] {
    []
  }

  package func lastTaskIdentifier(of session: SessionID) -> Int64 { 0 }

  /// Makes the transfers of a session the user's own.
  package func adopt(_ session: SessionID) async -> [TransferID] { [] }

  /// Removes the transfers of a session with all that its program did not take.
  package func drop(_ session: SessionID) async -> [TransferID] { [] }

  /// How the transfers of a session are treated from now on.
  package func setPolicy(of session: SessionID, _ policy: SessionPolicy) {}

  /// Which conditions hold on this machine now.
  package func conditionsChanged(_ met: Set<TransferCondition>) {}

  /// The sessions that the store had.
  package var recoveredSessions: [SessionRecord] { [] }

  /// Keeps what is no transfer; when it returns it survives a power cut.
  package func keep(_ changes: [JournalChange]) async throws(EngineError) {}
}
