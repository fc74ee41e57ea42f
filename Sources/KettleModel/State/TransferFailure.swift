/// The reason why a transfer failed or waits. It is stored and sent to clients.
///
/// `subject` is a host, a path or a URL without credentials. `detail` comes from outside, such as
/// an HTTP status or an error message of the system. `sentence` turns all three into English.
public struct TransferFailure: Error, Hashable, Sendable, Codable {
  public enum Code: String, Sendable, Codable, CaseIterable {
    // The request
    case badURL, tooManyRedirects, redirectRefused
    // The response
    case httpStatus, rangeReplyWrong, loginNeeded, linkExpired
    /// Recorded by earlier versions, which did not store a response that the server compresses.
    case encodedReply
    /// The server has another version than the durable bytes.
    case otherVersion
    /// The replacement URL leads to another file.
    case otherFile
    /// A web page arrived in place of the file; the detail is its title.
    case webPage
    /// A response that contradicts itself, or an earlier response for the same version.
    case contradictoryReply
    /// A list of checksums has no line for the file, or is none.
    case checksumListUnusable
    /// A Metalink that describes no file or several; the detail says why.
    case metalinkUnusable
    /// A torrent that describes no file or several, or names no web server.
    case torrentUnusable
    /// A source sent bytes that do not have the digest of their piece; the subject is its URL, the
    /// detail names the bytes.
    case wrongPiece
    /// A playlist that cannot be joined into a file; the detail says why.
    case playlistUnusable
    /// A playlist without an end.
    case liveStream
    /// A document that lists the files of a collection; the detail says why.
    case listUnusable
    /// The subject of these two is the source of a collection. Some of its files are missing, or
    /// have failed.
    case membersUnfinished, membersFailed
    // The network
    case hostNotFound
    /// The name servers did not respond or could not answer.
    case nameServerSilent
    case connectionRefused, connectionLost, timedOut, tlsRefused, proxyFailed
    /// An FTP server whose control connection responds, but not the one for the file.
    case noDataConnection
    /// The subject of these two is the proxy.
    case proxyUnreachable, proxyLoginNeeded
    /// This machine has no route to the host or no interface that is up.
    case networkDown
    case protocolBroken, certificateFileUnusable
    /// The server requires a client certificate or refused the one it received.
    case clientCertificateNeeded
    /// The file with the user's headers for a host; the subject is its path.
    case headersFileUnusable
    // The response body
    case truncated, tooLong
    // The file
    case directoryMissing, directoryUnwritable, diskFull, nameTaken, fileProblem, checksumMismatch
    case partialFileChanged
    /// What another program has left under the name was not written from its beginning on.
    case notContinued
    /// The compressed bytes are damaged, or no library on this machine can unpack them.
    case unpackingFailed
    // The object store; the subject is the object
    /// It refuses requests for good: their keys, or what they ask for.
    case storeRefused
    /// It could not serve a request that may be repeated.
    case storeUnavailable
    /// It has lost the parts that it had.
    case uploadGone
    // The request body
    case uploadFileUnusable
    // Decisions
    /// By the program, or by the user on its behalf.
    case cancelled
    /// A condition of the program is not met; the subject is a `TransferCondition`.
    case conditionUnmet
    // Kettle itself
    case internalProblem
  }

  public var code: Code
  public var subject: String
  public var detail: String?
  /// With `tlsRefused`: the certificate or host key that is not trusted, if the user can decide to
  /// trust it.
  public var certificate: ServerCertificate?

  public init(_ code: Code, on subject: String, detail: String? = nil) {
    self.code = code
    self.subject = subject
    self.detail = detail
  }
}

extension TransferFailure {
  /// The name is taken by a file, and not by a directory or a dangling link, which `detail` would
  /// say. With `ConflictPolicy.skip` the transfer is then complete.
  package var isOfFileThere: Bool { code == .nameTaken && detail == nil }
}

extension TransferFailure {
  /// States what failed, on what, and the remedy, in one sentence without a period. The dashboard,
  /// the commands and the log use the same sentence. Text from outside is sanitized for display.
  public var sentence: String { FailureSentence(failure: self, isRetried: false).text }

  /// The same sentence without the remedy.
  package var statement: String { FailureSentence(failure: self, isRetried: true).problem }

  /// The same for a transfer that is retried automatically.
  public var sentenceWhileRetrying: String {
    FailureSentence(failure: self, isRetried: true).text
  }
}

extension TransferSnapshot {
  /// The sentence about its error, depending on its state; nil if it has no error.
  public var problemSentence: String? {
    reason?.isRetry == true ? error?.sentenceWhileRetrying : error?.sentence
  }
}

private struct FailureSentence {
  let failure: TransferFailure
  let isRetried: Bool

  /// The remedy, or that it is retried automatically.
  private func retry(orElse remedy: String = "start it again") -> String {
    isRetried ? "it will be retried" : remedy
  }

  var text: String {
    remedy.map { "\(problem); \($0)" } ?? problem
  }

  private var protocolName: String { failure.family.name }

  private var detail: String? { failure.detail?.sanitizedForDisplay(limit: 200) }

  /// The message of the system, which says no more than the sentence.
  private static let refusedConnection = "Connection refused"

  var problem: String {
    let name = failure.subject.sanitizedForDisplay()
    let said = detail.map { " (\($0))" } ?? ""
    return switch failure.code {
    case .badURL: "The URL \"\(name)\" cannot be used\(said)"
    case .tooManyRedirects: "\"\(name)\" redirects too many times\(said)"
    case .redirectRefused: "\"\(name)\" leads to an address that is not allowed\(said)"
    case .httpStatus where failure.asksForNetworkLogin:
      "The network asks for a login before \"\(name)\" can be reached\(said)"
    case .httpStatus: "The server responded to \"\(name)\" with \(detail ?? "an error")"
    case .rangeReplyWrong: "The server sent a different part of \"\(name)\" than requested\(said)"
    case .encodedReply:
      "The server sent \"\(name)\" with a content encoding, so it cannot be resumed\(said)"
    case .loginNeeded: "\"\(name)\" requires a login\(said)"
    case .clientCertificateNeeded: "\"\(name)\" requires a client certificate\(said)"
    case .linkExpired: "The link \"\(name)\" is no longer valid\(said)"
    case .otherVersion: "The file \"\(name)\" has changed on the server\(said)"
    case .otherFile: "The link \"\(name)\" leads to a different file\(said)"
    case .webPage: "A web page arrived instead of the file \"\(name)\"\(said)"
    case .contradictoryReply: "The server sent contradictory responses for \"\(name)\"\(said)"
    case .checksumListUnusable: "The list of checksums \"\(name)\" cannot be used\(said)"
    case .metalinkUnusable: "The Metalink \"\(name)\" cannot be used\(said)"
    case .torrentUnusable: "The torrent \"\(name)\" cannot be used\(said)"
    case .wrongPiece: "\"\(name)\" sent bytes that do not match their digest\(said)"
    case .playlistUnusable: "The playlist \"\(name)\" cannot be joined into a file\(said)"
    case .liveStream: "\"\(name)\" is a live stream and has no end\(said)"
    case .listUnusable: "The list of files \"\(name)\" cannot be used\(said)"
    case .membersUnfinished: "Files of \"\(name)\" are still to be fetched"
    case .membersFailed: "Files of \"\(name)\" could not be fetched\(said)"
    case .networkDown: "The network to \"\(name)\" is down\(said)"
    case .hostNotFound: "The host \"\(name)\" was not found"
    case .nameServerSilent:
      "The address of \"\(name)\" could not be looked up because no name server answered\(said)"
    case .connectionRefused where failure.detail == Self.refusedConnection:
      "\"\(name)\" refused the connection"
    case .connectionRefused: "\"\(name)\" refused the connection\(said)"
    case .connectionLost: "The connection to \"\(name)\" was lost\(said)"
    case .timedOut: "\"\(name)\" did not respond in time\(said)"
    case .tlsRefused: "The identity of \"\(name)\" cannot be verified\(said)"
    case .proxyFailed: "The proxy for \"\(name)\" failed\(said)"
    case .proxyUnreachable: "The proxy \"\(name)\" cannot be reached\(said)"
    case .proxyLoginNeeded: "The proxy \"\(name)\" \(detail ?? "requires a login")"
    case .noDataConnection: "\"\(name)\" opened no connection for the file\(said)"
    case .protocolBroken: "\"\(name)\" sent a response that is not \(protocolName)\(said)"
    case .certificateFileUnusable: "The certificate file \"\(name)\" cannot be used\(said)"
    case .headersFileUnusable:
      "The file \"\(name)\" with headers for the host cannot be used\(said)"
    case .truncated: "The response for \"\(name)\" ended too early\(said)"
    case .tooLong: "The response for \"\(name)\" is longer than announced\(said)"
    case .directoryMissing: "The directory \"\(name)\" does not exist\(said)"
    case .directoryUnwritable: "The directory \"\(name)\" is not writable\(said)"
    case .diskFull: "The disk of \"\(name)\" is full\(said)"
    case .nameTaken: "\"\(name)\" already exists\(said)"
    case .fileProblem: "The file \"\(name)\" cannot be written\(said)"
    case .checksumMismatch: "The checksum of \"\(name)\" does not match\(said)"
    case .partialFileChanged: "Another program changed the partial file \"\(name)\"\(said)"
    case .notContinued: "The file \"\(name)\" cannot be continued\(said)"
    case .unpackingFailed: "The file \"\(name)\" cannot be unpacked\(said)"
    case .storeRefused: "The object store refuses to store \"\(name)\"\(said)"
    case .storeUnavailable: "The object store could not store \"\(name)\"\(said)"
    case .uploadGone: "The object store has lost the parts of \"\(name)\"\(said)"
    case .uploadFileUnusable: "The file \"\(name)\" cannot be uploaded\(said)"
    case .cancelled: "\"\(name)\" was cancelled\(said)"
    case .conditionUnmet:
      "Waiting for \(TransferCondition(rawValue: failure.subject)?.words ?? name)"
    case .internalProblem: "Internal error on \"\(name)\"\(said)"
    }
  }

  /// What the user can do about the problem; nil for nothing.
  private var remedy: String? {
    switch failure.code {
    case .badURL: "check it and add it again"
    case .tooManyRedirects: "open it in a browser and copy the final link"
    case .redirectRefused: "add the final link instead"
    case .httpStatus: remedyOfRefusal
    case .rangeReplyWrong, .connectionLost, .truncated: retry()
    case .encodedReply, .otherVersion, .tooLong, .partialFileChanged: "start it again"
    case .loginNeeded: "give one with kettle start ID --user NAME, which keeps everything"
    case .clientCertificateNeeded: "give it with --cert and --key"
    case .linkExpired, .otherFile: "replace it with kettle start ID --url URL"
    case .webPage: "take it with kettle accept ID, or request the file again with kettle start ID"
    case .contradictoryReply:
      retry(orElse: "start it again later, or stop it and start it to fetch it from the beginning")
    case .checksumListUnusable: "give the digest with --checksum"
    case .metalinkUnusable: "get it with --as-is, then pass the file to kettle add"
    case .torrentUnusable: "get it with --as-is, then pass the file to kettle add"
    case .wrongPiece:
      "what is right was kept, so add another source with --mirror, or start it again"
    case .playlistUnusable: "get the playlist itself with --as-is"
    case .liveStream: "add it when the recording is complete"
    case .listUnusable: retry(orElse: "check the address of the collection")
    case .membersUnfinished: nil
    case .membersFailed: "start it again to fetch them"
    case .networkDown: "it continues when the network is back"
    case .hostNotFound: "check its name and the network"
    case .nameServerSilent: retry(orElse: "check the network, then start it again")
    case .connectionRefused: retry(orElse: "check the address or try again later")
    case .timedOut: retry(orElse: "start it again later")
    case .noDataConnection:
      retry(orElse: "check the firewall in between and the passive ports of the server")
    case .tlsRefused where failure.certificate?.isHostKey == true:
      "if you know its host key, trust it with kettle accept ID"
    case .tlsRefused where failure.certificate != nil:
      "if you know its certificate, trust it with kettle accept ID"
    case .tlsRefused: TLSProblem(detail: failure.detail).remedy
    case .proxyFailed: "check the proxy settings"
    case .proxyUnreachable: retry(orElse: "check the proxy settings")
    case .proxyLoginNeeded: "correct the proxy settings"
    case .protocolBroken: "check the address"
    case .certificateFileUnusable: "check its path and that it is in PEM format"
    case .headersFileUnusable: "correct it, then start it again; nothing was sent without it"
    case .directoryMissing: "create it, then start it again"
    case .directoryUnwritable: "change its permissions or choose another with -d"
    case .diskFull: "it continues when there is space"
    case .nameTaken: "choose another name with -o, or use --on-conflict rename"
    case .fileProblem: FileTrouble(detail: failure.detail).remedy
    case .checksumMismatch: "the file was not kept, so start it again"
    case .notContinued: "move it away, or leave out --continue"
    case .unpackingFailed: "get it without --decode"
    case .storeRefused: "check the keys, the bucket and its region, then start it again"
    case .storeUnavailable, .uploadGone: retry()
    case .uploadFileUnusable: "check that it exists and is unchanged, then add it again"
    case .cancelled: nil
    case .conditionUnmet: "start it to continue without"
    case .internalProblem: "please report it"
    }
  }

  /// A refusal that may pass says nothing against the link.
  private var remedyOfRefusal: String {
    switch failure.statusMeaning() {
    case .network: "open any page in a browser and log in, then it continues"
    case .passing, .host: retry(orElse: "the link may be right, so start it again later")
    case .final where failure.family == .http && failure.statusNumber.map { $0 >= 500 } == true:
      retry(orElse: "the server cannot send it in this way, so try another link")
    case .final, .user, nil: retry(orElse: "check the link, then start it again")
    }
  }
}

extension TransferCondition {
  /// The condition as an object of "waiting for".
  public var words: String {
    switch self {
    case .mainsPower: "mains power"
    case .unmeteredNetwork: "an unmetered network"
    }
  }
}

/// What is wrong with a file that cannot be written, as far as the detail of the failure says.
///
/// Example: with the detail `EFBIG`, `FileTrouble(detail:)` is `fileTooLarge`, and its remedy is
/// another directory, not a check of the disk.
public enum FileTrouble: Hashable, Sendable {
  case nameTooLong, nameRefused, fileTooLarge, unknown

  /// The detail of a file that is larger than the file system or the process permits.
  public static let tooLarge = "EFBIG"

  private static let refusal = " for this name"

  /// The detail of a file whose name the file system refused with this error.
  public static func detail(refusing errorName: String) -> String { errorName + refusal }

  /// - Parameter detail: of a failure `fileProblem`.
  public init(detail: String?) {
    switch detail {
    case "ENAMETOOLONG": self = .nameTooLong
    case Self.tooLarge: self = .fileTooLarge
    case let detail?: self = detail.hasSuffix(Self.refusal) ? .nameRefused : .unknown
    case nil: self = .unknown
    }
  }

  var remedy: String {
    switch self {
    case .nameTooLong: "its file system allows shorter names only, so choose one with -o"
    case .nameRefused:
      "its file system forbids a character of the name, so choose another with -o"
    case .fileTooLarge:
      "its file system, or a limit of the service (ulimit -f), allows no file that large, so "
        + "choose another directory with -d"
    case .unknown: "check the disk, then start it again"
    }
  }
}
