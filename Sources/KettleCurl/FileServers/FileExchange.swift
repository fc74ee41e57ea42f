import CKettleCurl
import KettleEngine
import KettleModel
import KettleSystem

/// The part of an attempt that is special to a server of files.
struct FileExchange {
  let family: TransferURL.Scheme.Family
  private(set) var request: FileRequest
  let hasPassword: Bool
  var replies = FTPReplies()
  /// Whether the server has the key that its host is known by.
  private(set) var hostKey = HostKeyJudgement.pending
  /// The fingerprints of the host keys that the user has accepted.
  private let trustedHostKeys: Set<String>
  /// Private keys that have not been tried, without a password.
  private var keyFiles: ArraySlice<String>
  /// What an FTP server said when it demanded TLS; nil if it did not.
  private(set) var demandOfTLS: FTPReplies.Reply?
  private var resumption = Resumption.possible
  private var wait: Wait?

  private enum Resumption: Hashable {
    case possible
    /// It is not known which part of the file arrives.
    case refused
  }

  /// A part of libcurl in which it waits for this server and does nothing else.
  private struct Wait {
    var turn: UInt64
    var since: MonotonicTime
  }

  /// - Parameter keyFiles: the private keys after the first, which is tried anyway.
  init(
    family: TransferURL.Scheme.Family, request: FileRequest, keyFiles: ArraySlice<String> = [],
    hasPassword: Bool = false, trustedHostKeys: Set<String> = []
  ) {
    self.family = family
    self.request = request
    self.keyFiles = keyFiles
    self.hasPassword = hasPassword
    self.trustedHostKeys = trustedHostKeys
  }

  mutating func judge(_ key: HostKey?, match: curl_khmatch) {
    hostKey = HostKeyJudgement(key, match: match, trusted: trustedHostKeys)
  }

  /// Ends the exchange before its first byte, to begin it again.
  mutating func refuseResumption() { resumption = .refused }

  /// Whether the body ends before the file does.
  var isPart: Bool { request.upper != nil }

  // MARK: Beginning again

  enum Beginning: Hashable {
    /// At the first byte, because the server cannot resume.
    case atStart
    /// With another private key.
    case withKey(String)
    /// With TLS, before the login.
    case encrypted
  }

  /// Returns how the exchange begins again after it ended with this code before any byte of the
  /// file; nil when it is over.
  ///
  /// - Parameter isPlain: whether the connection was not encrypted.
  mutating func beginAgain(after code: CURLcode, isPlain: Bool) -> Beginning? {
    if family == .ftp, isPlain, code != CURLE_OK, let demand = replies.demandOfTLS {
      demandOfTLS = demand
      replies.restart()
      return .encrypted
    }
    switch code {
    case CURLE_LOGIN_DENIED where family == .sftp:
      guard let key = keyFiles.popFirst() else { return nil }
      return .withKey(key)
    // The offset is at the end of the file, or the server did not say its size.
    case CURLE_OK where request.offset > 0: break
    case CURLE_WRITE_ERROR where resumption == .refused && request.offset > 0: break
    // Over FTP, REST is the only command that must not be refused before RETR.
    case CURLE_QUOTE_ERROR, CURLE_BAD_DOWNLOAD_RESUME, CURLE_RANGE_ERROR:
      guard request.offset > 0 else { return nil }
    default: return nil
    }
    request.restart()
    replies.restart()
    return .atStart
  }

  // MARK: Waiting

  /// How long libcurl may wait for one server. It waits for the reply after the data, and when it
  /// says goodbye.
  private static let waitMillisecondsMax: Int64 = 1000

  /// Called by libcurl's progress function. Returns whether libcurl waits for too long: it calls
  /// several times within one turn of the loop, and about once a second.
  mutating func waitsTooLong(inTurn turn: UInt64, at now: MonotonicTime) -> Bool {
    guard let wait, wait.turn == turn else {
      wait = Wait(turn: turn, since: now)
      return false
    }
    return now.milliseconds(since: wait.since) >= Self.waitMillisecondsMax
  }
}

extension FileExchange {
  /// nil for a request over HTTP.
  init?(_ request: AttemptRequest, _ settings: CurlSettings) {
    let family = request.url.scheme.family
    switch family {
    case .http: return nil
    case .ftp, .sftp: break
    }
    let trusted: Set<String> =
      switch request.serverTrust {
      case .system: []
      case .keys(let keys, _): keys
      }
    let hasPassword = request.login?.password.isEmpty == false
    // With a password, each further try would send it again.
    let triesKeys = family == .sftp && !hasPassword
    self.init(
      family: family, request: FileRequest(request.headers),
      keyFiles: triesKeys ? settings.ssh.keyFiles.dropFirst() : [], hasPassword: hasPassword,
      trustedHostKeys: trusted)
  }
}
