import KettleCurl
import KettleModel
import KettleSocket
import KettleStarter
import KettleStore
import KettleSystem

/// Why the service cannot start or does not work as configured, as a sentence for the user and for
/// the log.
enum ServiceSentence {
  static func of(_ error: any Error) -> String {
    switch error {
    case let failure as TransferFailure: failure.sentence
    case let error as ControlSocketError: of(error)
    case let problem as NetworkLibraries.Problem:
      "A library that the service needs cannot be loaded (\(problem.detail)); install libcurl and "
        + "OpenSSL 3, on Debian with \"apt install libcurl4 libssl3\""
    default: "The service cannot start (\(error)); see its log"
    }
  }

  /// The first notice when a setting of the configuration file is wrong.
  static let settingsStay =
    "The settings in use stay, because one in the configuration file is wrong; correct it and run "
    + "\"kettle config reload\""

  /// The notice when the file of the start can be read by now.
  static let startAgain =
    "Nothing is sent until the service starts again, because the configuration file could not be "
    + "read when it started; run \"kettle daemon stop\", and the next command starts it"

  /// The notice about a hook of the configuration file; nil unless it could not be started.
  static func notice(of run: HookRun) -> String? {
    guard case .ended(let end) = run.standing, case .notStarted = end.outcome else { return nil }
    return "\(run.sentence); correct \"hooks.\(run.event.rawValue)\" in the configuration file "
      + "and run \"kettle config reload\""
  }

  static func of(_ error: ControlSocketError) -> String {
    switch error {
    case .unsafeDirectory(let path, let detail):
      "The directory \"\(path)\" is not private (\(detail)); "
        + "make it yours, and accessible to you alone with \"chmod 700\""
    case .socketPathTooLong(let path):
      "The socket path \"\(path)\" is too long; set XDG_RUNTIME_DIR to a shorter path"
    case .pathTaken(let path):
      "\"\(path)\" exists and is not a socket; move it away"
    case .pathServed(let path):
      "Another service listens at \"\(path)\"; set XDG_RUNTIME_DIR to another directory"
    case .cannotCreateDirectory(let path, let code):
      "The directory \"\(path)\" cannot be created (\(SystemError(code).message)); "
        + "set HOME to a directory of your own"
    case .notListening(let path), .busy(let path):
      "No service is listening at \"\(path)\"; start it with \"kettle daemon start\""
    case .foreignPeer(let path, let userID):
      "The socket \"\(path)\" belongs to user \(userID); "
        + "set XDG_RUNTIME_DIR to a directory of your own"
    case .lineTooLong(let byteCountMax):
      "A message exceeded the limit of \(byteCountMax) bytes; send smaller messages"
    case .lineNotFinished: "A message was not completed in time; send it without pauses"
    case .closed: "The connection was closed; try again"
    case .system(let call, let path, let code):
      "\"\(path)\" cannot be used (\(call): \(SystemError(code).message)); "
        + "check the disk and the permissions"
    }
  }
}
