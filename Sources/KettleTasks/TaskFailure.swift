import KettleControl
import KettleModel

/// Why a task ended without success.
package enum TaskFailure: Hashable, Sendable {
  /// The service reported the failure.
  case transfer(TransferFailure, resume: TaskResumption?)
  /// The program cancelled it.
  case cancelled(resume: TaskResumption?)
  /// The user removed it from the list.
  case removedByUser
  /// It cannot be carried out and was never sent.
  case refused(TaskRefusal)
  /// The session has ended.
  case session(SessionFailure)
  /// The service refused to store it.
  case notKept(ControlError)
}

/// A reason why a task cannot be carried out at all.
package enum TaskRefusal: Error, Hashable, Sendable {
  case unsupportedURL(String)
  case badResumeData
  /// A kind of task that background sessions do not have.
  case dataTask, uploadOfData, uploadOfStream, completionHandler, webSocket
  /// A download to a destination in a session that the service does not know.
  case destination
  /// The path of the file.
  case fileUnreadable(String)
  /// The data that the program stores with it is too large.
  case tooMuchUserInfo
  /// Another task of the session is the same download.
  case duplicate(Int64)
  /// The session was already invalidated.
  case invalidatedSession
  /// A header or another part of the request that cannot be sent.
  case badRequest(String)
}

/// A reason why a session cannot continue.
package enum SessionFailure: Hashable, Sendable {
  case emptyIdentifier
  /// Another program is connected to the session; its process identifier.
  case inUse(String)
  /// The service cannot be reached or started; a sentence.
  case noService(String)
}
