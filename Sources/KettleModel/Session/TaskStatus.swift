/// The status of a program's task beyond the state of the transfer.
public struct TaskStatus: Hashable, Sendable, Codable {
  /// When it first started. `TaskOptions.resourceTimeoutMilliseconds` counts from here.
  public var startedAt: WallTime?
  /// The response head whose body is being received, or else the latest one. A partial response
  /// (206) appears as the response for the whole file.
  public var reply: ServerReply?
  /// The pending challenge while the state is `waiting`: for `needsLogin`, or for `discretionary`
  /// if it is a `delayedRequest`.
  public var challenge: ServerChallenge?
  /// The number of answers to the last answered challenge, which becomes the failure count if the
  /// same challenge returns from the same origin.
  public var answeredChallengeCount: Int = 0
  /// Whether a login challenge goes to the program or its response is accepted as it is.
  public var challengePolicy: ChallengePolicy = .ask
  /// The offset at which the server agreed to resume; set once.
  public var resumedAtByteCount: Int64?
  /// The bytes of the request body sent in the current or latest attempt.
  public var sentByteCount: Int64 = 0
  /// Where an interrupted upload continues; nil when the server has not offered it.
  public var uploadResumption: UploadResumption?
  /// The informational responses so far; nil for none.
  public var informationalReplies: InformationalReplies?
  /// For an upload, the received bytes of the response body; set only in snapshots.
  public var replyByteCount: Int64?
  /// Set when the program cancels the task by producing resume data. Once the state is no longer
  /// `failed`, nothing more about the task is reported to the program.
  public var resumeToken: ResumeToken?

  /// The latest exchanges, at most `measurementCountMax`, in the order of their ends; nil before
  /// the first one.
  public var measurements: [AttemptMeasurement]?
  /// The redirects of all exchanges; nil for none.
  public var redirectCount: Int?

  /// How many exchanges are stored with a task.
  public static let measurementCountMax = 10

  public init() {}

  /// Stores a measurement in place of the oldest one.
  public mutating func record(_ measurement: AttemptMeasurement) {
    measurements = Array(
      ((measurements ?? []) + [measurement]).suffix(Self.measurementCountMax))
    guard measurement.isRedirect else { return }
    redirectCount = (redirectCount ?? 0) &+ 1
  }

  public enum ChallengePolicy: String, Hashable, Sendable, Codable {
    case ask
    case takeReplyAsItStands
  }
}

/// A response head and the URL it came from, after all redirects.
public struct ServerReply: Hashable, Sendable, Codable {
  /// Without credentials.
  public var url: String
  public var status: Int
  public var headers: [HeaderField]
  /// The name for the file that follows from the response and its URL, without a number for a name
  /// that is taken; nil if a service recorded the response that did not store this.
  public var suggestedName: String?

  public init(
    url: String, status: Int, headers: [HeaderField], suggestedName: String? = nil
  ) {
    self.url = url
    self.status = status
    self.headers = headers
    self.suggestedName = suggestedName
  }
}

/// A question to the program of a task: a server's request for credentials or trust, or whether a
/// task may begin.
public struct ServerChallenge: Hashable, Sendable, Codable {
  public enum Kind: String, Hashable, Sendable, Codable {
    case basic, digest, ntlm, negotiate
    /// The program judges the server's certificates before anything is sent.
    case serverTrust
    case clientCertificate
    /// Not of a server: the task's date has arrived, and its program decides whether it begins.
    case delayedRequest
  }

  public var kind: Kind
  /// In the form of `Origin.text`.
  public var origin: String
  public var realm: String?
  /// The number of credentials refused so far.
  public var failureCount: Int
  /// For `serverTrust`: the certificate chain in DER, the server's own first.
  public var certificates: [Base64Bytes] = []
  /// For `serverTrust`: the key to add to `OriginCredential.trustedKeys` to trust this server.
  public var serverKey: String?
  /// For `serverTrust`: whether the system trusts the certificates for this host.
  public var isTrustedBySystem: Bool = false

  public init(kind: Kind, origin: String, realm: String? = nil, failureCount: Int) {
    self.kind = kind
    self.origin = origin
    self.realm = realm
    self.failureCount = failureCount
  }
}

/// A program's answer to a challenge (`URLSession.AuthChallengeDisposition`).
public enum ChallengeAnswer: Hashable, Sendable, Codable {
  case login(Login)
  /// Trusts the certificates of the challenge.
  case trust
  case certificate(ClientCertificate)
  /// Begins a delayed task with another request.
  case request(ReplacementRequest)
  /// Default handling: accepts the response as it is, for `serverTrust` lets the system decide, or
  /// begins a delayed task.
  case standard
  /// Cancels the task.
  case cancel
}

/// The request with which a delayed task begins in place of its own.
public struct ReplacementRequest: Hashable, Sendable, Codable {
  public var url: TransferURL
  public var login: Login?
  public var headers: [HeaderField]
  public var cookies: [Cookie]
  /// nil for a plain GET. An upload keeps its file and gets the method.
  public var content: RequestContent?

  public init(
    url: TransferURL, login: Login? = nil, headers: [HeaderField] = [], cookies: [Cookie] = [],
    content: RequestContent? = nil
  ) {
    self.url = url
    self.login = login
    self.headers = headers
    self.cookies = cookies
    self.content = content
  }
}

extension ChallengeAnswer {
  package var isUsable: Bool {
    switch self {
    case .login(let login): login.isUsable
    case .certificate(let certificate): certificate.isUsable
    case .request(let request): request.isUsable
    case .trust, .standard, .cancel: true
    }
  }
}

extension ReplacementRequest {
  /// Whether a transfer with this request would be accepted.
  fileprivate var isUsable: Bool {
    var spec = TransferSpec(url: url)
    spec.headers = headers
    spec.login = login
    spec.options.cookies = cookies
    spec.request = content
    return spec.refusedPart == nil && url.scheme.family == .http
  }
}

/// What one HTTP exchange of a task took, as the transport measured it.
public struct AttemptMeasurement: Hashable, Sendable, Codable {
  /// Without credentials.
  public var url: String
  public var startedAt: WallTime
  /// The times in microseconds since the start (curl_easy_getinfo(3)); nil for what did not happen.
  public var nameLookupMicroseconds: Int64?
  public var connectMicroseconds: Int64?
  public var secureConnectMicroseconds: Int64?
  public var requestMicroseconds: Int64?
  public var responseMicroseconds: Int64?
  public var totalMicroseconds: Int64 = 0
  /// nil without a response.
  public var status: Int?
  /// The name of the protocol in TLS (RFC 7301, section 6): `http/1.1`, `h2`.
  public var protocolName: String?
  public var localAddress: String?
  public var localPort: Int?
  /// The address of the server or of the proxy.
  public var remoteAddress: String?
  public var remotePort: Int?
  /// As the TLS library names them; nil without TLS, and on a reused connection.
  public var tlsVersion: String?
  public var cipherSuite: String?
  public var requestHeaderByteCount: Int64 = 0
  public var requestBodyByteCount: Int64 = 0
  public var responseHeaderByteCount: Int64 = 0
  public var responseBodyByteCount: Int64 = 0
  public var isReusedConnection = false
  public var isProxied = false

  public init(url: String, startedAt: WallTime) {
    self.url = url
    self.startedAt = startedAt
  }

  /// Whether the response sends the client elsewhere (RFC 9110, section 15.4).
  public var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }
}
