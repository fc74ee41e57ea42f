import KettleControl
import KettleModel

/// Why a task ended without success.
package enum TaskFailure: Hashable, Sendable {
  /// The service says so.
  case transfer(TransferFailure, resume: ResumeToken?)
  /// The program cancelled it.
  case cancelled(resume: ResumeToken?)
  /// The user took it off the list.
  case removedByUser
  /// It was never more than an object: it cannot be carried out.
  case refused(TaskRefusal)
  /// The session is gone.
  case session(SessionFailure)
  /// The service would not keep it.
  case notKept(ControlError)
}

/// What keeps a task from being carried out at all.
package enum TaskRefusal: Error, Hashable, Sendable {
  case unsupportedURL(String)
  case badResumeData
  /// A kind of task that background sessions do not have.
  case dataTask, uploadOfData, uploadOfStream, completionHandler
  /// The text is its path.
  case fileUnreadable(String)
  /// What the program wants to be kept with it is too large.
  case tooMuchUserInfo
  /// The session has this download as another task.
  case duplicate(Int64)
  /// The session was invalidated before.
  case invalidatedSession
  /// A header or another part of the request that cannot be sent.
  case badRequest(String)
}

/// Why a session cannot go on.
package enum SessionFailure: Hashable, Sendable {
  case emptyIdentifier
  /// Another program is connected for it; its process identifier.
  case inUse(String)
  /// The service cannot be reached or started; a sentence.
  case noService(String)
}
