/// The additional properties of a task in a program's background session. A transfer without them
/// was added in the dashboard or with a command.
public struct TaskOptions: Hashable, Sendable, Codable {
  public enum Kind: String, Sendable, Codable {
    /// The response body is a file for the program.
    case download
    /// A file is sent. The response body is stored in a file for the program as well.
    case upload
  }

  public var kind: Kind
  /// The number assigned by the program, larger than all earlier ones in the session; nil lets the
  /// service assign it.
  public var taskIdentifier: Int64?
  /// Data that the library in the program stores for itself: the original request, the task
  /// description and the user's data. At most `programDataByteCountMax`. The service never reads
  /// it.
  public var programData: String?
  /// What people see beside the title of the transfer, perhaps empty; nil when the program does not
  /// present the task to people. At most `subtitleByteCountMax`.
  public var subtitle: String?
  /// The longest silence of a request (`timeoutIntervalForRequest`); nil uses the service's.
  public var requestTimeoutMilliseconds: Int64?
  /// The longest time from the first start to the end (`timeoutIntervalForResource`).
  public var resourceTimeoutMilliseconds: Int64?
  /// The conditions under which bytes may be transferred.
  @EncodedInOrder public var conditions: Set<TransferCondition> = []
  /// Whether the program is asked when the task's date arrives, before it begins; nil means no.
  public var asksBeforeBeginning: Bool?
  /// Upper bounds estimated by the program, headers included; nil if it has none.
  public var expectedSendByteCount: Int64?
  public var expectedReceiveByteCount: Int64?
  /// The program's answers to challenges, each valid for one origin.
  public var credentials: [OriginCredential] = []
  /// What the program received of the end of the task before it ended itself; nil means nothing.
  /// The rest is still to be reported.
  public var delivered: DeliveredPart?
  /// The cancelled transfer whose bytes this one continues with.
  public var resumes: ResumeToken?
  /// Where an earlier upload of the same file was interrupted, and this one continues.
  public var continues: UploadResumption?

  public static let programDataByteCountMax = 256 * 1024
  public static let subtitleByteCountMax = 1024

  public init(kind: Kind) { self.kind = kind }
}

extension TaskOptions {
  /// The first part that no service may act on; nil if all are valid.
  package var refusedPart: String? {
    if let taskIdentifier, !(1...Self.taskIdentifierMax).contains(taskIdentifier) {
      return "taskIdentifier"
    }
    if let programData, programData.utf8.count > Self.programDataByteCountMax {
      return "programData"
    }
    if let subtitle, subtitle.utf8.count > Self.subtitleByteCountMax { return "subtitle" }
    if let requestTimeoutMilliseconds, requestTimeoutMilliseconds < 1 {
      return "requestTimeoutMilliseconds"
    }
    if let resourceTimeoutMilliseconds, resourceTimeoutMilliseconds < 1 {
      return "resourceTimeoutMilliseconds"
    }
    if let expectedSendByteCount, expectedSendByteCount < 0 { return "expectedSendByteCount" }
    if let expectedReceiveByteCount, expectedReceiveByteCount < 0 {
      return "expectedReceiveByteCount"
    }
    if !credentials.allSatisfy(\.isUsable) { return "credentials" }
    if let resumes, !(1...ResumeToken.secretByteCountMax).contains(resumes.secret.utf8.count) {
      return "resumes"
    }
    if let continues, continues.url.scheme.family != .http || continues.confirmedByteCount < 0 {
      return "continues"
    }
    return nil
  }

  /// Leaves room to count up from it.
  private static let taskIdentifierMax: Int64 = 1 << 53
}

/// The method and body of a request other than a plain GET.
public struct RequestContent: Hashable, Sendable, Codable {
  /// A token in upper case (RFC 9110, section 9.1).
  public var method: String
  public var body: Body?
  /// Set when other requests send the rest of the body. It belongs to one request and is not
  /// stored.
  public var rest: Rest?

  private enum CodingKeys: String, CodingKey {
    case method, body
  }

  public init(method: String, body: Body? = nil, rest: Rest? = nil) {
    self.method = method
    self.body = body
    self.rest = rest
  }

  /// The part of a file that the server does not have yet.
  public struct Rest: Hashable, Sendable {
    public var offset: Int64
    /// nil means up to the end.
    public var byteCount: Int64?
    /// The modification time of the file when its other parts were sent, since 1970.
    public var modifiedNanoseconds: Int64

    public init(offset: Int64, byteCount: Int64? = nil, modifiedNanoseconds: Int64) {
      self.offset = offset
      self.byteCount = byteCount
      self.modifiedNanoseconds = modifiedNanoseconds
    }
  }

  public enum Body: Hashable, Sendable, Codable {
    /// The absolute path of a file that is read again for every attempt. The length is that at the
    /// time of the request, so that a file that has changed since is not sent.
    case file(path: String, byteCount: Int64)
    case bytes(Base64Bytes)
  }

  public var bodyByteCount: Int64? {
    switch body {
    case .file(_, let byteCount)?: byteCount
    case .bytes(let bytes)?: Int64(bytes.bytes.count)
    case nil: nil
    }
  }

  /// Whether it is a GET without a body, which can be repeated for a range. Other requests are
  /// repeated in full.
  public var isPlainGET: Bool { method == "GET" && body == nil }

  /// The first part that no service may act on; nil if all are valid.
  package var refusedPart: String? {
    guard HeaderField(name: method, value: "") != nil,
      !method.utf8.contains(where: { (97...122).contains($0) }),
      // CONNECT requests a tunnel, not a file (RFC 9110, section 9.3.6).
      method != "CONNECT"
    else { return "method" }
    guard case .file(let path, let byteCount)? = body else { return nil }
    return path.isAbsolutePath && byteCount >= 0 ? nil : "body"
  }
}

/// How much of the end of a task its program has received.
public enum DeliveredPart: String, Hashable, Sendable, Codable {
  /// The file, or the body of the response to an upload.
  case file
  /// The file and the metrics.
  case metrics
}

/// A condition under which the machine may transfer bytes.
public enum TransferCondition: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
  /// Not running from a battery.
  case mainsPower
  /// Traffic costs nothing extra.
  case unmeteredNetwork

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Identifies a cancelled transfer whose bytes were kept. The service generates the secret, so that
/// knowing the id is not enough to get the bytes.
public struct ResumeToken: Hashable, Sendable, Codable {
  public var id: TransferID
  public var secret: String

  fileprivate static let secretByteCountMax = 128

  public init(id: TransferID, secret: String) {
    self.id = id
    self.secret = secret
  }
}

/// Credentials for one scheme, host and port, and for no other.
public struct OriginCredential: Hashable, Sendable, Codable {
  /// In the form of `Origin.text`.
  public var origin: String
  public var login: Login?
  /// The scheme of the challenge that the login answered. The login is sent with this scheme from
  /// the first request on; nil waits for the server's challenge.
  public var scheme: ServerChallenge.Kind?
  /// Server keys to trust regardless of the system's judgement: the SHA-256 of the
  /// SubjectPublicKeyInfo (RFC 7469, section 2.4), in hexadecimal.
  @EncodedInOrder public var trustedKeys: Set<String> = []
  public var certificate: ClientCertificate?

  public init(origin: String) { self.origin = origin }

  fileprivate var isUsable: Bool {
    !origin.isEmpty && !origin.unicodeScalars.contains(where: \.isControl)
      && login?.isUsable ?? true && certificate?.isUsable ?? true
      && trustedKeys.allSatisfy { Checksum(algorithm: .sha256, hex: $0)?.hex == $0 }
  }
}

/// A client certificate and its key.
public struct ClientCertificate: Hashable, Sendable, Codable {
  /// Absolute paths of PEM files. The certificate's file also contains its chain.
  public var certificatePath: String
  public var keyPath: String
  public var password: String?

  public init(certificatePath: String, keyPath: String, password: String? = nil) {
    self.certificatePath = certificatePath
    self.keyPath = keyPath
    self.password = password
  }

  package var isUsable: Bool {
    certificatePath.isAbsolutePath && keyPath.isAbsolutePath
      && !(password?.utf8.contains(0) ?? false)
  }
}

/// Where an interrupted upload continues: the upload resource that the server has announced in a
/// 104 response (draft-ietf-httpbis-resumable-upload-05).
public struct UploadResumption: Hashable, Sendable, Codable {
  /// The upload resource, which tells how many bytes it has and takes the others.
  public var url: TransferURL
  /// The reach that an address of its host must have at least (`NetworkReach`): a server cannot
  /// name an address that it could not redirect to.
  public var minimumReach: NetworkReach
  /// The modification time of the file when it was sent, since 1970. With another one it is another
  /// file.
  public var modifiedNanoseconds: Int64
  /// How many bytes the server had when it was last asked.
  public var confirmedByteCount: Int64 = 0

  public init(url: TransferURL, minimumReach: NetworkReach, modifiedNanoseconds: Int64) {
    self.url = url
    self.minimumReach = minimumReach
    self.modifiedNanoseconds = modifiedNanoseconds
  }
}

/// The informational responses (1xx) to the requests of a task, without 100 and 101, which concern
/// only the connection.
public struct InformationalReplies: Hashable, Sendable, Codable {
  /// How many there were.
  public private(set) var count = 0
  /// The last ones, at most `latestCountMax`, in the order in which they arrived.
  public private(set) var latest: [ServerReply] = []

  public static let latestCountMax = 8

  public init() {}

  public mutating func record(_ reply: ServerReply) {
    count &+= 1
    latest = latest.suffix(Self.latestCountMax - 1) + [reply]
  }

  /// The replies after the first `seenCount`, as far as they are kept.
  ///
  /// - Parameter seenCount: not negative.
  public func after(_ seenCount: Int) -> ArraySlice<ServerReply> {
    count > seenCount ? latest.suffix(count - seenCount) : []
  }
}

/// Encodes a set as a sorted array, so that equal values encode identically. The order of a set
/// differs between processes.
@propertyWrapper
public struct EncodedInOrder<Element: Hashable & Sendable & Codable & Comparable>: Hashable,
  Sendable, Codable
{
  public var wrappedValue: Set<Element>

  public init(wrappedValue: Set<Element>) { self.wrappedValue = wrappedValue }

  public init(from decoder: any Decoder) throws { wrappedValue = try Set(from: decoder) }

  public func encode(to encoder: any Encoder) throws {
    try wrappedValue.sorted().encode(to: encoder)
  }
}
