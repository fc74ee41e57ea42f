/// The status of a program's task beyond the state of the transfer.
public struct TaskStatus: Hashable, Sendable, Codable {
  /// The time of its first start; `TaskOptions.resourceTimeoutMilliseconds` counts from here.
  public var startedAt: WallTime?
  /// The head of the reply whose body is taken, or of the last one when there is none. A reply with
  /// the rest of a file (206) is shown as that of the whole.
  public var reply: ServerReply?
  /// The pending challenge while the state is `waiting` for `needsLogin`.
  public var challenge: ServerChallenge?
  /// The number of answers to the last answered challenge. If the same challenge returns for the
  /// same origin, this is its failure count.
  public var answeredChallengeCount: Int = 0
  /// Whether a challenge is still shown to the program, or the response is accepted as it is.
  public var challengePolicy: ChallengePolicy = .ask
  /// The first requested byte when it resumed and the server agreed; set once.
  public var resumedAtByteCount: Int64?
  /// The bytes of the request's body sent in the current attempt, or in the last one.
  public var sentByteCount: Int64 = 0
  /// Of an upload, how much of the body of its reply is there; only in snapshots.
  public var replyByteCount: Int64?
  /// Set when the program wants resume data in place of the task. Once it is put aside, and no
  /// longer `failed`, nothing more is reported to the program.
  public var resumeToken: ResumeToken?

  public init() {}

  public enum ChallengePolicy: String, Hashable, Sendable, Codable {
    case ask
    case takeReplyAsItStands
  }
}

/// The head of a reply and where it came from after all redirects.
public struct ServerReply: Hashable, Sendable, Codable {
  /// Without credentials.
  public var url: String
  public var status: Int
  public var headers: [HeaderField]

  public init(url: String, status: Int, headers: [HeaderField]) {
    self.url = url
    self.status = status
    self.headers = headers
  }
}

/// A server's request for credentials or trust.
public struct ServerChallenge: Hashable, Sendable, Codable {
  public enum Kind: String, Hashable, Sendable, Codable {
    case basic, digest, ntlm, negotiate
    /// The certificates of the server are shown to the program before anything is sent.
    case serverTrust
    case clientCertificate
  }

  public var kind: Kind
  /// As `Origin.text` has it.
  public var origin: String
  public var realm: String?
  /// How many credentials for it were refused before.
  public var failureCount: Int
  /// Of `serverTrust`: in DER, the server's own first.
  public var certificates: [Base64Bytes] = []
  /// Of `serverTrust`: the key that `OriginCredential.trustedKeys` would have to name.
  public var serverKey: String?
  /// Of `serverTrust`: whether the system trusts them for this host.
  public var isTrustedBySystem: Bool = false

  public init(kind: Kind, origin: String, realm: String? = nil, failureCount: Int) {
    self.kind = kind
    self.origin = origin
    self.realm = realm
    self.failureCount = failureCount
  }
}

/// What the program says to a challenge (`URLSession.AuthChallengeDisposition`).
public enum ChallengeAnswer: Hashable, Sendable, Codable {
  case login(Login)
  /// The certificates of the challenge are the right ones.
  case trust
  case certificate(ClientCertificate)
  /// Default handling: the response is accepted as it is; for `serverTrust`, the system decides.
  case standard
  /// The task ends as cancelled.
  case cancel
}
