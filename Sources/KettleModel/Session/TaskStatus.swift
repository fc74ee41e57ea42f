/// What a program is told of its task beyond the state of the transfer.
public struct TaskStatus: Hashable, Sendable, Codable {
  /// When it was started first; `TaskOptions.resourceTimeoutMilliseconds` counts from here.
  public var startedAt: WallTime?
  /// The head of the reply whose body is taken, or of the last one when there is none. A reply with
  /// the rest of a file (206) is shown as that of the whole.
  public var reply: ServerReply?
  /// What is asked of the program while the state is `waiting` for `needsLogin`.
  public var challenge: ServerChallenge?
  /// How many answers the challenge that was answered last has had. When the same is asked again,
  /// for the same origin, this is its count of failures.
  public var answeredChallengeCount: Int = 0
  /// Whether a challenge is still shown to the program, or the reply is taken as it stands.
  public var challengePolicy: ChallengePolicy = .ask
  /// The first byte that was asked for when it went on from resume data and the server agreed; set
  /// once.
  public var resumedAtByteCount: Int64?
  /// The bytes of the request's body that were sent in the attempt that runs, or in the last one.
  public var sentByteCount: Int64 = 0
  /// Of an upload, how much of the body of its reply is there; only in snapshots.
  public var replyByteCount: Int64?
  /// Set when the program wants resume data in place of the task. Once it is put aside, and not
  /// `failed` any more, the program is told nothing more of it.
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

/// What a server wants to know, or to be believed.
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
  /// As if nobody had asked: the reply is taken as it stands; of `serverTrust`, the system decides.
  case standard
  /// The task ends as cancelled.
  case cancel
}
