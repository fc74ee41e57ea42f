import KettleCurl
import KettleModel
import KettleSocket
import KettleStore

/// Why the service cannot start, as a sentence for the user and for the log.
enum ServiceSentence {
  static func of(_ error: any Error) -> String {
    switch error {
    case let failure as TransferFailure: failure.sentence
    case let error as ControlSocketError: of(error)
    case let problem as NetworkLibraries.Problem:
      "A library that the service needs cannot be loaded (\(problem.detail)); install libcurl and "
        + "OpenSSL 3, on Debian with apt install libcurl4 libssl3"
    default: "The service cannot start (\(error)); look into the log"
    }
  }

  static func of(_ error: ControlSocketError) -> String {
    switch error {
    case .unsafeDirectory(let path, let detail):
      "The directory \"\(path)\" is not safe to use (\(detail)); make it yours alone with chmod 700"
    case .socketPathTooLong(let path):
      "The path of the socket \"\(path)\" is too long; set XDG_RUNTIME_DIR to a shorter directory"
    case .pathTaken(let path):
      "Something that is no socket is in the way at \"\(path)\"; move it aside"
    case .notListening(let path), .busy(let path):
      "Nothing answers at \"\(path)\"; start the service with kettle daemon start"
    case .foreignPeer(let path, let userID):
      "The socket \"\(path)\" belongs to user \(userID); set XDG_RUNTIME_DIR to a directory of yours"
    case .lineTooLong(let byteCountMax):
      "A message was longer than \(byteCountMax) bytes; send less at once"
    case .lineNotFinished: "A message was begun and not finished in time; send it at once"
    case .closed: "The connection is gone; try again"
    case .system(let call, let path, let code):
      "\"\(path)\" cannot be used (\(call): \(ControlSocketError.text(ofCode: code))); "
        + "check the disk and the permissions"
    }
  }
}
