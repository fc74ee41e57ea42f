import CKettleCurl
import KettleEngine
import KettleModel
import KettleSystem

/// The part of an attempt that is special to a server of files.
struct FileExchange {
  let family: TransferURL.Scheme.Family
  private(set) var request: FileRequest
  /// Whether the list of a directory arrives, which has no size.
  let listsDirectory: Bool
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
    family: TransferURL.Scheme.Family, request: FileRequest, listsDirectory: Bool = false,
    keyFiles: ArraySlice<String> = [], hasPassword: Bool = false, trustedHostKeys: Set<String> = []
  ) {
    self.family = family
    self.listsDirectory = listsDirectory
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
      listsDirectory: request.listsDirectory,
      keyFiles: triesKeys ? settings.ssh.keyFiles.dropFirst() : [], hasPassword: hasPassword,
      trustedHostKeys: trusted)
  }
}

/// Expresses what a server of files said in the vocabulary of HTTP, so that the same rules decide
/// about it. Its validator is weak: with a time in seconds, two versions may share it.
enum FileHead {
  /// Returns the head of a body that begins at the requested offset, or nil if what is known does
  /// not show that it is the requested part.
  ///
  /// - Parameters:
  ///   - left: the number of bytes from the offset to the end of the file; nil when unknown.
  ///   - modified: when the file was modified, in seconds since 1970; nil when unknown.
  static func body(of request: FileRequest, left: Int64?, modified: Int64?) -> ResponseHead? {
    var headers: [HeaderField] = []
    let date = modified.flatMap(lastModified)
    if let date { headers.append(HeaderField(received: "Last-Modified", date)) }
    guard request.offset > 0 else {
      if let left { headers.append(HeaderField(received: "Content-Length", "\(left)")) }
      return ResponseHead(status: 200, headers: headers)
    }
    guard let left, left > 0 else { return nil }
    let (total, overflow) = request.offset.addingReportingOverflow(left)
    guard !overflow else { return nil }
    let upper = min(request.upper ?? total, total)
    guard upper > request.offset else { return nil }
    headers += [
      HeaderField(received: "Content-Range", "bytes \(request.offset)-\(upper - 1)/\(total)"),
      HeaderField(received: "Content-Length", "\(upper - request.offset)"),
    ]
    return ResponseHead(status: 206, headers: headers)
  }

  /// nil for a time that HTTP cannot express, and for zero, which servers send for "unknown".
  private static func lastModified(_ seconds: Int64) -> String? {
    guard (1..<253_402_300_800).contains(seconds) else { return nil }
    return HTTPDate.text(WallTime(millisecondsSince1970: seconds * 1000))
  }
}

/// The refusal of a server of files, as the HTTP status that leads to the same decision.
enum FileRefusal: Int, Hashable {
  case loginNeeded = 401
  case notPermitted = 403
  case notFound = 404
  /// For now: the server is full, or the file is in use.
  case busy = 503

  /// Returns nil for a result that is not a refusal.
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

  /// Returns nil for a result that is not a refusal.
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

/// What a request means to a server of files, which knows paths and offsets only.
struct FileRequest: Hashable {
  /// The first byte; 0 for the whole file.
  private(set) var offset: Int64 = 0
  /// The end of the wanted bytes; nil for the end of the file.
  private(set) var upper: Int64?

  /// Reads `Range`, the only header that counts here. No such server can compare the validator of
  /// an `If-Range`, so like an HTTP server that does not know the validator it sends the whole file
  /// (RFC 9110, section 13.1.5).
  init(_ headers: [HeaderField]) {
    func value(_ name: String) -> String? {
      headers.first { $0.name.lowercased() == name }?.value
    }
    guard value("if-range") == nil, let range = value("range") else { return }
    let parts = range.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == "bytes" else { return }
    let bounds = parts[1].split(separator: "-", omittingEmptySubsequences: false)
    guard bounds.count == 2, let first = DecimalDigits.int64(bounds[0]) else { return }
    let last = DecimalDigits.int64(bounds[1])
    if let last, last < first || last == .max { return }
    offset = first
    upper = last.map { $0 + 1 }
  }

  /// The request for the whole file, after the server could not resume.
  mutating func restart() {
    offset = 0
    upper = nil
  }
}
