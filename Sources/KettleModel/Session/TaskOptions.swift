/// What a task of a program's background session has beyond a transfer of the dashboard's. A
/// transfer without it belongs to a person.
public struct TaskOptions: Hashable, Sendable, Codable {
  public enum Kind: String, Sendable, Codable {
    /// The body of the reply is a file for the program.
    case download
    /// A file is sent; the body of the reply is kept in a file for the program, too.
    case upload
  }

  public var kind: Kind
  /// The number that the program gave it; it must be larger than all before it in the session. nil
  /// lets the service count.
  public var taskIdentifier: Int64?
  /// What the program's library wants to find again (the original request, the description, the
  /// user's own data); at most `programDataByteCountMax`. Nobody else reads it.
  public var programData: String?
  /// The longest silence of a request (`timeoutIntervalForRequest`); nil is the service's own.
  public var requestTimeoutMilliseconds: Int64?
  /// From the first start to the end, whatever happens in between (`timeoutIntervalForResource`).
  public var resourceTimeoutMilliseconds: Int64?
  /// What must hold while bytes flow.
  @EncodedInOrder public var conditions: Set<TransferCondition> = []
  /// Upper bounds as the program guesses them, headers included; nil when it does not.
  public var expectedSendByteCount: Int64?
  public var expectedReceiveByteCount: Int64?
  /// What the program answered to challenges, each for one origin only.
  public var credentials: [OriginCredential] = []
  /// The transfer that was put aside as resume data and goes on as this one.
  public var resumes: ResumeToken?

  public static let programDataByteCountMax = 256 * 1024

  public init(kind: Kind) { self.kind = kind }
}

/// What the machine must give before bytes flow.
public enum TransferCondition: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
  /// Not running from a battery.
  case mainsPower
  /// Traffic costs nothing extra.
  case unmeteredNetwork

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Names a transfer that was put aside with the bytes it has. The secret is made by the service, so
/// that a number alone takes nobody's bytes.
public struct ResumeToken: Hashable, Sendable, Codable {
  public var id: TransferID
  public var secret: String

  public init(id: TransferID, secret: String) {
    self.id = id
    self.secret = secret
  }
}

/// What is shown to one scheme, host and port, and to no other.
public struct OriginCredential: Hashable, Sendable, Codable {
  /// As `Origin.text` has it.
  public var origin: String
  public var login: Login?
  /// The scheme of the challenge that the login answered: it is sent by it from the first request
  /// on. nil leaves that to the server.
  public var scheme: ServerChallenge.Kind?
  /// Server keys that are trusted whatever the system thinks of them: the SHA-256 of the
  /// SubjectPublicKeyInfo (RFC 7469, section 2.4), in hexadecimal.
  @EncodedInOrder public var trustedKeys: Set<String> = []
  public var certificate: ClientCertificate?

  public init(origin: String) { self.origin = origin }
}

/// The identity that a client shows to a server.
public struct ClientCertificate: Hashable, Sendable, Codable {
  /// Absolute paths of PEM files; the certificate's has its chain behind it.
  public var certificatePath: String
  public var keyPath: String
  public var password: String?

  public init(certificatePath: String, keyPath: String, password: String? = nil) {
    self.certificatePath = certificatePath
    self.keyPath = keyPath
    self.password = password
  }
}
