/// The properties of a task of a program's background session, beyond those of the dashboard's
/// transfers. A transfer without it belongs to a person.
public struct TaskOptions: Hashable, Sendable, Codable {
  public enum Kind: String, Sendable, Codable {
    /// The response body is a file for the program.
    case download
    /// A file is sent; the response body is stored in a file for the program, too.
    case upload
  }

  public var kind: Kind
  /// The number assigned by the program, larger than all earlier ones in the session. With nil the
  /// service assigns it.
  public var taskIdentifier: Int64?
  /// Data that the program's library needs again (the original request, the description, the user's
  /// own data); at most `programDataByteCountMax`. Only that library reads it.
  public var programData: String?
  /// The longest silence of a request (`timeoutIntervalForRequest`); nil is the service's own.
  public var requestTimeoutMilliseconds: Int64?
  /// From the first start to the end, whatever happens in between (`timeoutIntervalForResource`).
  public var resourceTimeoutMilliseconds: Int64?
  /// Conditions while bytes flow.
  @EncodedInOrder public var conditions: Set<TransferCondition> = []
  /// Upper bounds estimated by the program, headers included; nil if it has none.
  public var expectedSendByteCount: Int64?
  public var expectedReceiveByteCount: Int64?
  /// The program's answers to challenges, each for one origin only.
  public var credentials: [OriginCredential] = []
  /// The transfer that was put aside as resume data and continues as this one.
  public var resumes: ResumeToken?

  public static let programDataByteCountMax = 256 * 1024

  public init(kind: Kind) { self.kind = kind }
}

/// A condition of the machine for transferring bytes.
public enum TransferCondition: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
  /// Not running from a battery.
  case mainsPower
  /// Traffic costs nothing extra.
  case unmeteredNetwork

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Identifies a transfer that was put aside with its bytes. The service makes the secret, so that a
/// number alone gives no access to the bytes.
public struct ResumeToken: Hashable, Sendable, Codable {
  public var id: TransferID
  public var secret: String

  public init(id: TransferID, secret: String) {
    self.id = id
    self.secret = secret
  }
}

/// Credentials for one scheme, host and port, and for no other.
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
