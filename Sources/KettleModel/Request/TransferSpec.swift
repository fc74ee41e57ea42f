/// A requested transfer: one URL to one file.
public struct TransferSpec: Hashable, Sendable, Codable {
  /// The URL without its user and password. Another one comes with its reach, so that a transfer
  /// never forgets who has named its URL.
  public var source: ChainedURL
  public var url: TransferURL { source.url }
  public var session: SessionID = .kettle
  /// Displayed in place of the file name.
  public var title: String?
  /// An absolute path, or an `ObjectPrefix`; nil means the documents directory of the session.
  public var directory: String?
  /// nil derives the name from the server or the URL.
  public var name: FileName?
  /// The maximum number of connections; nil means the limit per host.
  public var connections: Int?
  public var headers: [HeaderField] = []
  public var login: Login?
  public var checksum: Checksum?
  /// Absolute path of PEM certificates that are trusted for this transfer.
  public var caCertificatePath: String?
  /// Servers to trust for this transfer, regardless of who signed their certificates.
  public var trustedServers: [TrustedServer] = []
  public var limitBytesPerSecond: Int64?
  public var notBefore: WallTime?
  public var priority: TransferPriority = .normal
  public var onConflict: ConflictPolicy = .rename
  public var beginning: Beginning = .queued
  public var options = TransferOptions.none
  /// nil for a plain GET.
  public var request: RequestContent?
  /// Set for a task of a program's session.
  public var task: TaskOptions?

  /// A request of the user or of a program.
  public init(url: TransferURL) { source = ChainedURL(given: url) }

  /// Whether a new transfer starts automatically.
  public enum Beginning: String, Sendable, Codable {
    case queued, paused
    /// Not started, like a suspended task of a session.
    case idle
  }
}

extension TransferSpec {
  /// The user's queue that it belongs to; nil for a task of a program.
  public var queue: QueueName? { task == nil ? options.queue ?? .standard : nil }
}

/// What to do if a file with the name already exists.
public enum ConflictPolicy: String, Sendable, Codable, CaseIterable {
  /// `NAME (2).EXT`
  case rename
  case replace
  /// Keeps the existing file and fetches nothing.
  case skip
}

extension TransferSpec {
  private enum CodingKeys: String, CodingKey {
    case url, session, title, directory, name, connections, headers, login, checksum
    case caCertificatePath, trustedServers, limitBytesPerSecond, notBefore, priority, onConflict
    case beginning, options, request, task
    /// Set if a server has named the URL.
    case minimumReach
  }

  /// Decodes a request, and refuses one with a `refusedPart`. Missing properties get their
  /// defaults, so that short requests of scripts can be decoded.
  public init(from decoder: any Decoder) throws {
    try self.init(recorded: decoder)
    try refuse(at: decoder.codingPath)
  }

  /// Decodes everything except the URL, and refuses a request with a `refusedPart`.
  public init(url: TransferURL, template decoder: any Decoder) throws {
    try self.init(url: url, decoder.container(keyedBy: CodingKeys.self))
    try refuse(at: decoder.codingPath)
  }

  /// Decodes the request of a stored transfer without checking it: it was checked when it arrived.
  /// It stays readable if it has changed since, or if a later version would refuse it.
  package init(recorded decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(url: container.decode(TransferURL.self, forKey: .url), container)
    let reach = try container.decodeIfPresent(NetworkReach.self, forKey: .minimumReach)
    source = ChainedURL(url, namedBy: reach ?? .machine)
  }

  private init(url: TransferURL, _ container: KeyedDecodingContainer<CodingKeys>) throws {
    self.init(url: url)
    func read<Value: Decodable>(_ value: inout Value, _ key: CodingKeys) throws {
      value = try container.decodeIfPresent(Value.self, forKey: key) ?? value
    }
    try read(&session, .session)
    title = try container.decodeIfPresent(String.self, forKey: .title)
    directory = try container.decodeIfPresent(String.self, forKey: .directory)
    name = try container.decodeIfPresent(FileName.self, forKey: .name)
    connections = try container.decodeIfPresent(Int.self, forKey: .connections)
    try read(&headers, .headers)
    login = try container.decodeIfPresent(Login.self, forKey: .login)
    checksum = try container.decodeIfPresent(Checksum.self, forKey: .checksum)
    caCertificatePath = try container.decodeIfPresent(String.self, forKey: .caCertificatePath)
    try read(&trustedServers, .trustedServers)
    limitBytesPerSecond = try container.decodeIfPresent(Int64.self, forKey: .limitBytesPerSecond)
    notBefore = try container.decodeIfPresent(WallTime.self, forKey: .notBefore)
    try read(&priority, .priority)
    try read(&onConflict, .onConflict)
    try read(&beginning, .beginning)
    try read(&options, .options)
    request = try container.decodeIfPresent(RequestContent.self, forKey: .request)
    task = try container.decodeIfPresent(TaskOptions.self, forKey: .task)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(url, forKey: .url)
    if source.minimumReach > .machine {
      try container.encode(source.minimumReach, forKey: .minimumReach)
    }
    try encodeTemplate(to: encoder)
  }

  /// Encodes everything except the URL.
  public func encodeTemplate(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(session, forKey: .session)
    try container.encodeIfPresent(title, forKey: .title)
    try container.encodeIfPresent(directory, forKey: .directory)
    try container.encodeIfPresent(name, forKey: .name)
    try container.encodeIfPresent(connections, forKey: .connections)
    try container.encode(headers, forKey: .headers)
    try container.encodeIfPresent(login, forKey: .login)
    try container.encodeIfPresent(checksum, forKey: .checksum)
    try container.encodeIfPresent(caCertificatePath, forKey: .caCertificatePath)
    try container.encode(trustedServers, forKey: .trustedServers)
    try container.encodeIfPresent(limitBytesPerSecond, forKey: .limitBytesPerSecond)
    try container.encodeIfPresent(notBefore, forKey: .notBefore)
    try container.encode(priority, forKey: .priority)
    try container.encode(onConflict, forKey: .onConflict)
    try container.encode(beginning, forKey: .beginning)
    if options != .none { try container.encode(options, forKey: .options) }
    try container.encodeIfPresent(request, forKey: .request)
    try container.encodeIfPresent(task, forKey: .task)
  }
}

/// A part of a request that no service may act on: its path, such as `options.proxy`.
package struct RefusedPart: Error, CodingKey {
  package let stringValue: String
  package var intValue: Int? { nil }

  package init(stringValue: String) { self.stringValue = stringValue }
  package init?(intValue: Int) { nil }
}

extension DecodingError {
  /// Refuses a part of what was decoded at a path.
  package static func refused(_ part: String, at path: [any CodingKey]) -> DecodingError {
    let part = RefusedPart(stringValue: part)
    return .dataCorrupted(
      Context(
        codingPath: path + [part], debugDescription: "no service may act on it",
        underlyingError: part))
  }
}

extension TransferSpec {
  /// The first part that no service may act on; nil if all are valid.
  ///
  /// `init(from:)` checks it, and so does the RPC, which makes requests from texts. The store does
  /// not: when a rule here becomes stricter, no stored transfer is lost.
  package var refusedPart: String? {
    // A person's transfers are not tasks of a program.
    if !session.isUsable || task != nil && session == .kettle { return "session" }
    // A program gets a file, and pieces of a repair belong into one.
    if let directory, !directory.isAbsolutePath, objectPrefix == nil || task != nil {
      return "directory"
    }
    if let connections, connections < 1 { return "connections" }
    if !headers.allSatisfy(\.isSendable) { return "headers" }
    if let login, !login.isUsable { return "login" }
    if let caCertificatePath, !caCertificatePath.isAbsolutePath { return "caCertificatePath" }
    if !trustedServers.allSatisfy(\.isUsable) { return "trustedServers" }
    if let limitBytesPerSecond, limitBytesPerSecond < 1 { return "limitBytesPerSecond" }
    if let part = options.refusedPart { return "options.\(part)" }
    // Each response to another request than a plain GET may differ.
    if !options.otherSources.isEmpty, task?.kind == .upload || !(request?.isPlainGET ?? true) {
      return "options.mirrors"
    }
    // A program verifies what it gets.
    if options.checksumURL != nil, task != nil { return "options.checksumURL" }
    // A program is launched with its session's news, and no page may start a program.
    if options.then != nil, task != nil || options.rpc != nil { return "options.then" }
    if let part = request?.refusedPart { return "request.\(part)" }
    // Programs are promised the semantics of HTTP, and servers of files know no other request.
    if url.scheme.family != .http, task != nil || request != nil { return "url" }
    if task?.kind == .upload, request?.body == nil { return "request.body" }
    return task?.refusedPart.map { "task.\($0)" }
  }

  private func refuse(at path: [any CodingKey]) throws {
    if let part = refusedPart { throw DecodingError.refused(part, at: path) }
  }
}

extension String {
  package var isAbsolutePath: Bool { hasPrefix("/") && !utf8.contains(0) }
}

/// A priority from 0 (last) to 1 (first). The named values are those of `URLSessionTask`.
public struct TransferPriority: Hashable, Comparable, Sendable {
  public let value: Double

  /// Returns nil outside 0…1.
  public init?(_ value: Double) {
    guard value >= 0, value <= 1 else { return nil }
    self.value = value
  }

  private init(known value: Double) { self.value = value }

  public static let low = TransferPriority(known: 0.25)
  public static let normal = TransferPriority(known: 0.5)
  public static let high = TransferPriority(known: 0.75)

  public static func < (left: TransferPriority, right: TransferPriority) -> Bool {
    left.value < right.value
  }
}

extension TransferPriority: Codable {
  private enum CodingKeys: String, CodingKey { case value }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let priority = TransferPriority(try container.decode(Double.self, forKey: .value)) else {
      throw DecodingError.dataCorruptedError(
        forKey: .value, in: container, debugDescription: "a priority is from 0 to 1")
    }
    self = priority
  }
}

/// A user name and password. They are sent only to the origin of the URL they were given for.
public struct Login: Hashable, Sendable, Codable {
  public var user: String
  public var password: String
  /// Set if user and password are an access key and its secret: the secret is not sent, requests
  /// are signed with it.
  public var signing: Signing?

  public init(user: String, password: String, signing: Signing? = nil) {
    self.user = user
    self.password = password
    self.signing = signing
  }

  /// How requests to S3 are signed, with Signature Version 4
  /// (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html).
  public struct Signing: Hashable, Sendable, Codable {
    /// The region of the bucket, such as `eu-west-1`.
    public var region: String
    /// What belongs to a temporary key.
    public var sessionToken: String?

    public init(region: String, sessionToken: String? = nil) {
      self.region = region
      self.sessionToken = sessionToken
    }

    /// A colon would be the end of the region to libcurl (CURLOPT_AWS_SIGV4(3)).
    var isUsable: Bool {
      (1...64).contains(region.utf8.count)
        && region.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"):
            true
          default: false
          }
        }
        && sessionToken.map { HeaderField(name: "x", value: $0)?.value == $0 } ?? true
    }
  }
}

extension Login {
  /// A colon in the user name would move the boundary between name and password (RFC 7617, section
  /// 2).
  package var isUsable: Bool {
    !user.contains(":") && !(user + password).unicodeScalars.contains(where: \.isControl)
      && signing?.isUsable ?? true
  }
}

extension Login: CustomStringConvertible {
  /// Omits the password, because this text may be logged.
  public var description: String { "Login(user: \(user), password: hidden)" }
}

/// A server that the user trusts although the system does not.
public struct TrustedServer: Hashable, Sendable, Codable {
  /// In the form of `Origin.text`.
  public var origin: String
  /// The SHA-256 of its public key (SubjectPublicKeyInfo) or host key in lowercase hexadecimal
  /// digits.
  public var key: String

  public init(origin: String, key: String) {
    self.origin = origin
    self.key = key
  }

  public init(_ certificate: ServerCertificate) {
    self.init(origin: certificate.origin, key: certificate.key)
  }

  fileprivate var isUsable: Bool {
    !origin.unicodeScalars.contains(where: \.isControl)
      && Checksum(algorithm: .sha256, hex: key)?.hex == key
  }
}

/// What the user has decided for every transfer from a host.
public struct RememberedHost: Hashable, Sendable, Codable {
  /// Sent where a transfer has no login of its own.
  public var login: Login?
  /// The public keys that are trusted, like `TrustedServer.key`.
  public var trustedKeys: [String]

  public init(login: Login? = nil, trustedKeys: [String] = []) {
    self.login = login
    self.trustedKeys = trustedKeys
  }

  public var isEmpty: Bool { login == nil && trustedKeys.isEmpty }
}
