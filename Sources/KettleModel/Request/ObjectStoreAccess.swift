/// The endpoint, region and keys of an object store, as one source specifies them.
///
/// The sources are, in order: the environment of the command that adds the transfer, the
/// configuration file, the environment of the service, and the AWS profile files. A property that
/// is nil in one source is taken from the next.
public struct ObjectStoreAccess: Hashable, Sendable, Codable {
  /// The URL of the service; nil means Amazon's.
  public var endpoint: TransferURL?
  /// The region of the bucket, such as `eu-west-1`.
  public var region: String?
  /// Whether the bucket is the first component of the path, and not a part of the host.
  public var usesPathStyle: Bool?
  public var keys: AccessKeySource?

  public init(
    endpoint: TransferURL? = nil, region: String? = nil, usesPathStyle: Bool? = nil,
    keys: AccessKeySource? = nil
  ) {
    self.endpoint = endpoint
    self.region = region
    self.usesPathStyle = usesPathStyle
    self.keys = keys
  }

  /// Returns whether a text can be the name of a region.
  package static func isRegion(_ text: String) -> Bool { Login.Signing(region: text).isUsable }

  /// Returns the URL of a service; nil for a text that is none.
  package static func endpoint(_ text: String) -> TransferURL? { AccessProfile.endpoint(text) }

  public static let usualRegion = "us-east-1"

  /// Returns it with what it lacks taken from another one.
  public func completed(by other: ObjectStoreAccess) -> ObjectStoreAccess {
    ObjectStoreAccess(
      endpoint: endpoint ?? other.endpoint, region: region ?? other.region,
      usesPathStyle: usesPathStyle ?? other.usesPathStyle, keys: keys ?? other.keys)
  }

  /// The same with what the files of Amazon's tools say of the region and the endpoint.
  package func completed(by contents: AccessProfile.Contents) -> ObjectStoreAccess {
    completed(by: ObjectStoreAccess(endpoint: contents.endpoint, region: contents.region))
  }

  /// Whether a service may act on it.
  package var isUsable: Bool {
    endpoint.map { $0.scheme.family == .http && $0.query == nil } ?? true
      && region.map { Login.Signing(region: $0).isUsable } ?? true && keys?.isUsable ?? true
  }

  /// What the variables of an environment say
  /// (https://docs.aws.amazon.com/sdkref/latest/guide/environment-variables.html).
  public init(_ environment: [String: String]) {
    func variable(_ name: String) -> String? { environment[name]?.trimmingBlanks().nonEmpty }
    endpoint = (variable("AWS_ENDPOINT_URL_S3") ?? variable("AWS_ENDPOINT_URL"))
      .flatMap(AccessProfile.endpoint)
    region = variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION")
    usesPathStyle = nil
    keys = AccessKeySource(environment)
  }
}

/// Where the key comes from that signs requests to an object store.
public enum AccessKeySource: Hashable, Sendable, Codable {
  /// This one. Its region is that of the store.
  case given(Login)
  /// None: the bucket is open to everyone.
  case unsigned
  /// The files of Amazon's tools, which are read for each upload, and after them the service that
  /// gives a container its keys.
  case searched(AccessProfile, ContainerKeys?)

  /// Whether a service may act on it.
  var isUsable: Bool {
    switch self {
    case .given(let login): login.isUsable && login.signing != nil
    case .unsigned: true
    case .searched(let profile, let container):
      profile.isUsable && container?.isUsable ?? true
    }
  }

  /// Returns nil for an environment that says nothing about keys. `AWS_ACCESS_KEY_ID` that is set
  /// to nothing asks for requests that are not signed.
  public init?(_ environment: [String: String]) {
    func variable(_ name: String) -> String? { environment[name]?.trimmingBlanks().nonEmpty }
    if environment["AWS_ACCESS_KEY_ID"] != nil {
      guard let key = variable("AWS_ACCESS_KEY_ID"), let secret = variable("AWS_SECRET_ACCESS_KEY")
      else {
        self = .unsigned
        return
      }
      let signing = Login.Signing(
        region: ObjectStoreAccess.usualRegion, sessionToken: variable("AWS_SESSION_TOKEN"))
      let login = Login(user: key, password: secret, signing: signing)
      guard login.isUsable else { return nil }
      self = .given(login)
      return
    }
    let container = ContainerKeys(environment)
    let names = ["AWS_PROFILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"]
    guard container != nil || names.contains(where: { variable($0) != nil }) else { return nil }
    self = .searched(AccessProfile(environment), container)
  }
}

/// A profile in the files of Amazon's tools
/// (https://docs.aws.amazon.com/sdkref/latest/guide/creds-config-files.html).
public struct AccessProfile: Hashable, Sendable, Codable {
  public var name: String
  public var credentialsPath: String
  public var configurationPath: String

  public init(_ environment: [String: String], name: String? = nil) {
    func variable(_ name: String) -> String? { environment[name]?.trimmingBlanks().nonEmpty }
    let home = environment["HOME"] ?? ""
    self.name = name ?? variable("AWS_PROFILE") ?? "default"
    credentialsPath = variable("AWS_SHARED_CREDENTIALS_FILE") ?? home + "/.aws/credentials"
    configurationPath = variable("AWS_CONFIG_FILE") ?? home + "/.aws/config"
  }

  var isUsable: Bool { credentialsPath.isAbsolutePath && configurationPath.isAbsolutePath }

  /// What the files say.
  public struct Contents: Sendable {
    /// nil without a key, or with one that cannot be used.
    public var login: Login?
    public var region: String?
    public var endpoint: TransferURL?
  }

  /// - Parameter read: returns the text of a file; nil if it cannot be read.
  public func contents(read: (String) -> String?) -> Contents {
    let section = name == "default" ? name : "profile " + name
    let configuration = Self.values(ofSection: section, in: read(configurationPath) ?? "")
    let keys = configuration.merging(
      Self.values(ofSection: name, in: read(credentialsPath) ?? "")
    ) { $1 }
    var contents = Contents(
      region: configuration["region"],
      endpoint: configuration["endpoint_url"].flatMap(Self.endpoint))
    if let key = keys["aws_access_key_id"], let secret = keys["aws_secret_access_key"] {
      let signing = Login.Signing(
        region: contents.region ?? ObjectStoreAccess.usualRegion,
        sessionToken: keys["aws_session_token"])
      let login = Login(user: key, password: secret, signing: signing)
      contents.login = login.isUsable ? login : nil
    }
    return contents
  }

  fileprivate static func endpoint(_ text: String) -> TransferURL? {
    guard case .success(let parsed) = TransferURL.parse(text), parsed.url.scheme.family == .http
    else { return nil }
    return parsed.url
  }

  /// The values of one section of a file with lines `[section]` and `name = value`. Lines that
  /// begin with blanks belong to settings with several values, of which none is read.
  private static func values(ofSection section: String, in text: String) -> [String: String] {
    var values: [String: String] = [:]
    var isInSection = false
    for line in text.split(whereSeparator: \.isNewline) where line.first?.isWhitespace == false {
      if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
        let words = line[..<end].dropFirst().split(whereSeparator: \.isWhitespace)
        isInSection = words.joined(separator: " ") == section
      } else if isInSection, !line.hasPrefix("#"), !line.hasPrefix(";"),
        let mark = line.firstIndex(of: "=")
      {
        let name = String(line[..<mark]).trimmingBlanks().lowercased()
        values[name] = String(line[mark...].dropFirst()).trimmingBlanks().nonEmpty
      }
    }
    return values
  }
}

/// The service from which a container gets temporary keys
/// (https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html).
public struct ContainerKeys: Hashable, Sendable, Codable {
  public var url: TransferURL
  /// The value of `Authorization`, or the path of a file with it, which may change.
  public var token: String?
  public var tokenPath: String?

  /// Returns nil for an environment that names no such service, or one elsewhere without TLS.
  public init?(_ environment: [String: String]) {
    func variable(_ name: String) -> String? { environment[name]?.trimmingBlanks().nonEmpty }
    let relative = variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")
    guard
      let text = relative.map({ "http://169.254.170.2" + $0 })
        ?? variable("AWS_CONTAINER_CREDENTIALS_FULL_URI"),
      case .success(let parsed) = TransferURL.parse(text)
    else { return nil }
    url = parsed.url
    token = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN")
    tokenPath = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")
    if !isUsable { return nil }
  }

  /// Keys are asked for without TLS only on this machine and at the addresses of Amazon's agents.
  var isUsable: Bool {
    let agents = ["localhost", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"]
    let address = IPAddress(url.host.drop { $0 == "[" }.prefix { $0 != "]" })
    let isNear =
      agents.contains(url.host) || address.map { AddressScope(of: $0) == .loopback } ?? false
    return (url.scheme == .https || url.scheme == .http && isNear)
      && tokenPath?.isAbsolutePath ?? true
      && token.map { HeaderField(name: "Authorization", value: $0) != nil } ?? true
  }
}

extension Login {
  /// The key that Amazon's tools use with an environment, without asking a container's service; nil
  /// without one, or if requests are not to be signed. The environment comes before the files.
  ///
  /// - Parameter read: returns the text of a file; nil if it cannot be read.
  public static func accessKey(
    in environment: [String: String], read: (String) -> String?
  ) -> Login? {
    let said = ObjectStoreAccess(environment)
    let contents = AccessProfile(environment).contents(read: read)
    var login: Login?
    switch said.keys {
    case .given(let given)?: login = given
    case .unsigned?: return nil
    case .searched?, nil: login = contents.login
    }
    login?.signing?.region =
      said.region ?? contents.region ?? ObjectStoreAccess.usualRegion
    return login.flatMap { $0.isUsable ? $0 : nil }
  }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
