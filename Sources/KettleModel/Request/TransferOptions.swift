/// What the user has chosen for one transfer in place of the service's settings. A transfer rarely
/// has any of them.
public struct TransferOptions: Hashable, Sendable {
  /// The longest silence of a server, before its response and within it.
  public var silenceSeconds: Int?
  /// The longest time to establish a connection.
  public var connectSeconds: Int?
  /// How many attempts without new bytes are made; 0 means any number.
  public var attemptsMax: Int?
  /// The pause before the first retry; it doubles with each one.
  public var retryDelaySeconds: Int?
  /// nil means the service's proxies.
  public var proxy: ProxyChoice?
  /// Cookies of the user, each sent only where it belongs.
  public var cookies: [Cookie] = []
  /// Sent to the origin of the URL if it requires one.
  public var certificate: ClientCertificate?
  /// Whether `~/.netrc` may supply the login; nil means as configured.
  public var usesNetrc: Bool?
  /// Whether the file gets the modification time that the server gives.
  public var keepsServerTime = false
  /// The permissions of the file; nil means those of `FilePermissions.usual`.
  public var permissions: FilePermissions?
  /// Whether the directory of the request is made when it is missing: the user named it on another
  /// machine, which the command could not look at.
  public var makesDirectory = false
  /// The user's other URLs of the same file, the best ones first.
  public var mirrors: [TransferURL] = []
  /// What a document says about the file.
  public var described: DescribedFile?
  /// Whether a compressed response is unpacked when it is complete.
  public var unpacks = false
  /// A file in the format of sha256sum(1) that contains the expected digest.
  public var checksumURL: TransferURL?
  /// Whether a file that another program has left under the name is continued, once its bytes are
  /// proved to be the beginning of this one.
  public var continues = false
  /// Whether a playlist or a Metalink is stored as it is, instead of fetching what it describes.
  public var isAsIs = false
  /// Which variant of a playlist is fetched; nil means the best one.
  public var variant: PlaylistVariant?
  /// The user's queue; nil means `default`.
  public var queue: QueueName?
  /// Set for a transfer that a client of aria2's RPC added.
  public var rpc: RPCOptions?
  /// A program to start when the transfer has completed.
  public var then: HookCommand?
  /// What was chosen although it is what a transfer has without a choice. The configuration file
  /// does not change it.
  public var chosen: Set<ConfiguredProperty> = []
  /// The rule of the configuration file that applies. The service sets it.
  public var rule: RuleUse?

  /// The finished file that the transfer repairs. Only the service sets it.
  public var repairs: RepairTarget?
  /// Set for a collection: the transfer reads its list.
  public var collection: CollectionRequest?
  /// Set for a file of a collection. Only the service sets it.
  public var member: MemberRole?
  /// How the object store that gets the file is reached; nil means as the service knows.
  public var store: ObjectStoreAccess?
  /// The page of a browser that the download came from; nil if no browser handed it over.
  public var page: DownloadPage?

  /// The longest time that a user may choose, a day.
  public static let secondsMax = 24 * 3600
  public static let attemptsCountMax = 1_000_000
  /// How many cookies browsers keep for a domain.
  public static let cookieCountMax = 180
  public static let mirrorCountMax = 64

  public init() {}

  public static let none = TransferOptions()

  /// All sources of the file besides its URL, the user's first.
  public var otherSources: [ChainedURL] {
    mirrors.map { ChainedURL(given: $0) } + (described?.copies ?? [])
  }
}

extension TransferOptions {
  /// The first part that no service may act on; nil if all are valid.
  var refusedPart: String? {
    let seconds = 1...Self.secondsMax
    if let silenceSeconds, !seconds.contains(silenceSeconds) { return "silenceSeconds" }
    if let connectSeconds, !seconds.contains(connectSeconds) { return "connectSeconds" }
    if let retryDelaySeconds, !seconds.contains(retryDelaySeconds) { return "retryDelaySeconds" }
    if let attemptsMax, !(0...Self.attemptsCountMax).contains(attemptsMax) { return "attemptsMax" }
    if let proxy, !proxy.isUsable { return "proxy" }
    if cookies.count > Self.cookieCountMax || !cookies.allSatisfy(\.isUsable) { return "cookies" }
    if let certificate, !certificate.isUsable { return "certificate" }
    if otherSources.count > Self.mirrorCountMax { return "mirrors" }
    if let byteCount = described?.byteCount, byteCount < 0 { return "described.byteCount" }
    if let pieces = described?.pieces {
      // Only the store may say that it has them, and pieces of another size prove nothing.
      guard let given = pieces.given, given.byteCount == described?.byteCount else {
        return "described.pieces"
      }
    }
    if let rpc, !rpc.isUsable { return "rpc" }
    if let then, then.fillsShellText { return "then" }
    if repairs != nil { return "repairs" }
    if let collection, !collection.choice.isUsable || collection.list != nil { return "collection" }
    if member != nil { return "member" }
    if let store, !store.isUsable { return "store" }
    if let page, !page.isUsable { return "page" }
    return nil
  }
}

/// The permission bits of a new file.
public struct FilePermissions: RawRepresentable, Hashable, Sendable, Codable {
  /// Read and write bits only, as open(2) takes them for a file that is not a program.
  public let rawValue: UInt32

  /// Returns nil if there are other bits than those to read and write.
  public init?(rawValue: UInt32) {
    guard rawValue & ~0o666 == 0 else { return nil }
    self.rawValue = rawValue
  }

  /// What a process with this mask gives a new file (umask(2)).
  public init(mask: UInt32) { rawValue = 0o666 & ~mask }

  /// The bits that both have.
  public func intersection(_ other: FilePermissions) -> FilePermissions {
    FilePermissions(mask: ~(rawValue & other.rawValue))
  }

  /// What the mask 022 leaves, the default of most systems.
  public static let usual = FilePermissions(mask: 0o022)
}

extension TransferOptions: Codable {
  private enum CodingKeys: String, CodingKey {
    case silenceSeconds, connectSeconds, attemptsMax, retryDelaySeconds, proxy, cookies, certificate
    case usesNetrc, keepsServerTime, permissions, makesDirectory, mirrors, described
    case unpacks, continues, checksumURL, isAsIs, variant, queue, rpc, then, chosen, rule,
      repairs, collection, member, store, page
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func read<Value: Decodable>(_ key: CodingKeys) throws -> Value? {
      try container.decodeIfPresent(Value.self, forKey: key)
    }
    silenceSeconds = try read(.silenceSeconds)
    connectSeconds = try read(.connectSeconds)
    attemptsMax = try read(.attemptsMax)
    retryDelaySeconds = try read(.retryDelaySeconds)
    proxy = try read(.proxy)
    cookies = try read(.cookies) ?? []
    certificate = try read(.certificate)
    usesNetrc = try read(.usesNetrc)
    keepsServerTime = try read(.keepsServerTime) ?? false
    permissions = try read(.permissions)
    makesDirectory = try read(.makesDirectory) ?? false
    mirrors = try read(.mirrors) ?? []
    described = try read(.described)
    unpacks = try read(.unpacks) ?? false
    continues = try read(.continues) ?? false
    checksumURL = try read(.checksumURL)
    isAsIs = try read(.isAsIs) ?? false
    variant = try read(.variant)
    queue = try read(.queue)
    rpc = try read(.rpc)
    then = try read(.then)
    chosen = try read(.chosen) ?? []
    rule = try read(.rule)
    repairs = try read(.repairs)
    collection = try read(.collection)
    member = try read(.member)
    store = try read(.store)
    page = try read(.page)
  }

  /// Encodes only what was chosen, because a long list has these options once for each transfer.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(silenceSeconds, forKey: .silenceSeconds)
    try container.encodeIfPresent(connectSeconds, forKey: .connectSeconds)
    try container.encodeIfPresent(attemptsMax, forKey: .attemptsMax)
    try container.encodeIfPresent(retryDelaySeconds, forKey: .retryDelaySeconds)
    try container.encodeIfPresent(proxy, forKey: .proxy)
    if !cookies.isEmpty { try container.encode(cookies, forKey: .cookies) }
    try container.encodeIfPresent(certificate, forKey: .certificate)
    try container.encodeIfPresent(usesNetrc, forKey: .usesNetrc)
    if keepsServerTime { try container.encode(keepsServerTime, forKey: .keepsServerTime) }
    try container.encodeIfPresent(permissions, forKey: .permissions)
    if makesDirectory { try container.encode(makesDirectory, forKey: .makesDirectory) }
    if !mirrors.isEmpty { try container.encode(mirrors, forKey: .mirrors) }
    try container.encodeIfPresent(described, forKey: .described)
    if unpacks { try container.encode(unpacks, forKey: .unpacks) }
    if continues { try container.encode(continues, forKey: .continues) }
    try container.encodeIfPresent(checksumURL, forKey: .checksumURL)
    if isAsIs { try container.encode(isAsIs, forKey: .isAsIs) }
    try container.encodeIfPresent(variant, forKey: .variant)
    try container.encodeIfPresent(queue, forKey: .queue)
    try container.encodeIfPresent(rpc, forKey: .rpc)
    try container.encodeIfPresent(then, forKey: .then)
    if !chosen.isEmpty { try container.encode(chosen.sorted(), forKey: .chosen) }
    try container.encodeIfPresent(rule, forKey: .rule)
    try container.encodeIfPresent(repairs, forKey: .repairs)
    try container.encodeIfPresent(collection, forKey: .collection)
    try container.encodeIfPresent(member, forKey: .member)
    try container.encodeIfPresent(store, forKey: .store)
    try container.encodeIfPresent(page, forKey: .page)
  }
}

/// What a client of aria2's RPC gave with a transfer, apart from what Kettle uses.
public struct RPCOptions: Hashable, Sendable {
  /// The GID that the client chose, as 16 digits; nil if it chose none.
  public var gid: String?
  /// Options that Kettle ignores. It reports them to a client that asks.
  public var echoed: [String: String]

  public static let echoedCountMax = 128
  public static let echoedByteCountMax = 16 << 10

  public init(gid: String? = nil, echoed: [String: String] = [:]) {
    self.gid = gid
    self.echoed = echoed
  }

  fileprivate var isUsable: Bool {
    if let gid, GID(gid)?.description != gid { return false }
    let byteCount = echoed.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    return echoed.count <= Self.echoedCountMax && byteCount <= Self.echoedByteCountMax
  }
}

extension RPCOptions: Codable {
  private enum CodingKeys: String, CodingKey { case gid, echoed }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    gid = try container.decodeIfPresent(String.self, forKey: .gid)
    echoed = try container.decodeIfPresent([String: String].self, forKey: .echoed) ?? [:]
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(gid, forKey: .gid)
    if !echoed.isEmpty { try container.encode(echoed, forKey: .echoed) }
  }
}

/// The name of a user's queue: letters, digits, `-` and `_` of ASCII.
///
/// The configuration file gives queues their limits and hours. A transfer that names none is in
/// `default`.
///
///     let night = QueueName("night")
public struct QueueName: Hashable, Sendable {
  public let text: String

  public static let byteCountMax = 64
  public static let standard = QueueName(known: "default")

  /// Returns nil if the text is not a name.
  public init?(_ text: String) {
    guard (1...Self.byteCountMax).contains(text.utf8.count), text.utf8.allSatisfy(Self.isPermitted)
    else { return nil }
    self.text = text
  }

  private init(known text: String) { self.text = text }

  private static func isPermitted(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension QueueName: Comparable {
  /// `default` is first; the others follow by name.
  public static func < (left: QueueName, right: QueueName) -> Bool {
    if left == right { return false }
    if left == .standard || right == .standard { return left == .standard }
    return left.text < right.text
  }
}

extension QueueName: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let name = QueueName(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a queue's name")
    }
    self = name
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
