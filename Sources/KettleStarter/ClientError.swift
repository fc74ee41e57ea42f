import KettleControl
import KettleModel
import KettleSystem

/// Why the service cannot be used.
package enum ClientError: Error, Hashable, Sendable {
  /// Nothing answers on the socket, and starting the service was not requested.
  case notRunning(socketPath: String)
  /// The service was started but did not become ready; `logPath` has its output.
  case didNotStart(detail: String, logPath: String)
  /// The other end belongs to another user.
  case foreignSocket(path: String, ownerID: Int64)
  /// Others can access the directory of the socket, or it cannot be created.
  case unsafeDirectory(path: String, detail: String)
  /// The two programs have different versions.
  case versionMismatch(ours: Int, theirs: String)
  case connectionLost
  /// The service is there, but says nothing; `processID` is not positive if it is unknown.
  case notAnswering(processID: Int64)
  /// HOME belongs to another user: what root created there would lock that user out.
  case foreignHome(path: String, ownerID: Int64)
  /// A directory is missing and cannot be created.
  case cannotCreateDirectory(path: String, detail: String)
  /// The service accepts no more connections; `count` are open.
  case tooManyConnections(count: String)
  case socketPathTooLong(path: String)
}

extension ClientError {
  /// The client error that corresponds to a socket error.
  package init(_ error: ControlSocketError) {
    switch error {
    case .notListening(let path): self = .notRunning(socketPath: path)
    case .foreignPeer(let path, let userID): self = .foreignSocket(path: path, ownerID: userID)
    case .socketPathTooLong(let path): self = .socketPathTooLong(path: path)
    case .unsafeDirectory(let path, let detail):
      self = .unsafeDirectory(path: path, detail: detail)
    case .pathTaken(let path):
      self = .unsafeDirectory(path: path, detail: "it is not a socket")
    case .pathServed(let path):
      self = .unsafeDirectory(path: path, detail: "another service listens there")
    case .cannotCreateDirectory(let path, let code):
      self = .cannotCreateDirectory(path: path, detail: SystemError(code).message)
    case .system(_, let path, let code):
      self = .unsafeDirectory(path: path, detail: SystemError(code).message)
    case .busy, .lineTooLong, .lineNotFinished, .closed: self = .connectionLost
    }
  }
}

extension ClientError {
  /// The error as text: what failed, on what, and what to do. Names from outside are safe for a
  /// terminal.
  package var sentence: String {
    switch self {
    case .notRunning(let socketPath):
      return "No service is running at \(quoted(socketPath)); start it with \"kettle daemon start\""
    case .didNotStart(let detail, let logPath):
      return "The service did not start (\(detail.sanitizedForDisplay(limit: 400))); "
        + "see \(quoted(logPath)), or run \"kettle daemon run\" to watch it"
    case .foreignSocket(let path, let ownerID):
      return "The socket \(quoted(path)) belongs to another user (\(ownerID)); "
        + "remove it, or set XDG_RUNTIME_DIR to a directory of your own"
    case .unsafeDirectory(let path, let detail):
      return "The directory \(quoted(path)) is not safe for the socket "
        + "(\(detail.sanitizedForDisplay(limit: 400))); make it yours with mode 0700"
    case .versionMismatch(let ours, let theirs):
      return "The running service uses protocol version \(quoted(theirs)) and this program uses "
        + "\(ours); run \"kettle daemon stop\" and try again"
    case .connectionLost:
      return "The connection to the service was lost; try again, which restarts the service if "
        + "needed"
    case .notAnswering(let processID) where processID > 0:
      return "The service (process \(processID)) does not answer: it is stopped, or waits for a "
        + "disk; continue it with \"kill -CONT \(processID)\", or end it with "
        + "\"kill -KILL \(processID)\" and try again"
    case .notAnswering:
      return "The service does not answer: it is stopped, or waits for a disk; continue or end its "
        + "process and try again"
    case .foreignHome(let path, let ownerID):
      return "HOME is \(quoted(path)), which belongs to user \(ownerID), but this is root: that "
        + "user could not use what root creates there; run it as that user, or with \"sudo -H\""
    case .cannotCreateDirectory(let path, let detail):
      return "The directory \(quoted(path)) cannot be created "
        + "(\(detail.sanitizedForDisplay(limit: 400))); set HOME to a directory of your own"
    case .tooManyConnections(let count):
      return "The service has \(count.sanitizedForDisplay(limit: 20)) open connections and accepts "
        + "no more; close some of them, for example dashboards and \"kettle watch\", and try again"
    case .socketPathTooLong(let path):
      return "The socket path \(quoted(path)) is too long for the system; "
        + "set XDG_RUNTIME_DIR to a shorter one"
    }
  }

  private func quoted(_ text: String) -> String {
    "\"" + text.sanitizedForDisplay(limit: 200) + "\""
  }
}
