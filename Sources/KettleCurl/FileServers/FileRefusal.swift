import CKettleCurl
import KettleModel

/// The refusal of a server of files, as the HTTP status that leads to the same decision.
enum FileRefusal: Int, Hashable {
  case loginNeeded = 401
  case notPermitted = 403
  case notFound = 404
  /// For now: the server is full, or the file is in use.
  case busy = 503

  /// nil for an end that is no refusal.
  ///
  /// - Parameter reply: the last one; nil without any.
  init?(byFTP code: CURLcode, after reply: FTPReplies.Reply?) {
    guard let reply else { return nil }
    let isOfFile = [
      CURLE_FTP_COULDNT_RETR_FILE, CURLE_REMOTE_ACCESS_DENIED, CURLE_REMOTE_FILE_NOT_FOUND,
    ].contains(code)
    switch StatusMeaning(ftpReply: reply.code, text: reply.text) {
    // libcurl calls 421 a timeout.
    case .host: self = .busy
    case .user: self = .loginNeeded
    case .passing, .final, .network:
      if code == CURLE_LOGIN_DENIED {
        self = .loginNeeded
        return
      }
      switch reply.code {
      // Of the data connection.
      case 425, 426: return nil
      case 400...499 where isOfFile: self = .busy
      case 500...599 where isOfFile: self = .notFound
      default: return nil
      }
    }
  }

  /// nil for an end that is no refusal.
  init?(bySFTP code: CURLcode) {
    switch code {
    case CURLE_LOGIN_DENIED: self = .loginNeeded
    case CURLE_REMOTE_ACCESS_DENIED: self = .notPermitted
    case CURLE_REMOTE_FILE_NOT_FOUND: self = .notFound
    default: return nil
    }
  }

  /// What an SFTP server says only with a number.
  func wordsOfSFTP(withPassword: Bool) -> String {
    switch self {
    case .loginNeeded where withPassword: "neither a key nor the password was accepted"
    case .loginNeeded: "no key of ~/.ssh or of the ssh-agent was accepted"
    case .notPermitted: "permission denied"
    case .notFound: "no such file"
    case .busy: "busy"
    }
  }
}
