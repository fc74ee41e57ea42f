import KettleControl
import KettleSocket
import KettleSystem

extension ClientError {
  /// The client error that corresponds to a socket error.
  init(_ error: ControlSocketError) {
    switch error {
    case .notListening(let path): self = .notRunning(socketPath: path)
    case .foreignPeer(let path, let userID): self = .foreignSocket(path: path, ownerID: userID)
    case .socketPathTooLong(let path): self = .socketPathTooLong(path: path)
    case .unsafeDirectory(let path, let detail):
      self = .unsafeDirectory(path: path, detail: detail)
    case .pathTaken(let path):
      self = .unsafeDirectory(path: path, detail: "it is not a socket")
    case .system(_, let path, let code):
      self = .unsafeDirectory(path: path, detail: SystemError(code).message)
    case .busy, .lineTooLong, .lineNotFinished, .closed: self = .connectionLost
    }
  }
}
