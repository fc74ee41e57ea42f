import KettleCollections
import KettleModel

/// What the environment of a command says about the sources of collections: other endpoints, a
/// token and a key.
struct CollectionSurroundings {
  let endpoints: CollectionEnvironment
  private let context: CommandContext

  init(_ context: CommandContext) {
    self.context = context
    endpoints = CollectionEnvironment(context.environment)
  }

  /// Returns a transfer whose source was named without the environment, as the environment wants
  /// it.
  func completed(_ spec: TransferSpec) -> TransferSpec {
    guard let named = spec.options.collection?.source else { return spec }
    var spec = spec
    if case .success(let source)? = CollectionSource.named(named.name, in: endpoints),
      source.kind == named.kind
    {
      spec.options.collection?.source = source
      spec.source = ChainedURL(given: source.url)
    }
    return withSecret(spec)
  }

  /// Adds the token or the key of a service that is asked for one. What the user gives comes first.
  /// Those of this machine are not sent by the service of another one.
  func withSecret(_ spec: TransferSpec) -> TransferSpec {
    guard context.host == nil, let source = spec.options.collection?.source else { return spec }
    var spec = spec
    switch source.kind {
    case .hub:
      if !spec.headers.contains(where: { $0.name.lowercased() == "authorization" }),
        let header = hubToken.flatMap({ HeaderField(name: "Authorization", value: "Bearer " + $0) })
      {
        spec.headers.append(header)
      }
    case .bucket where source.name.hasPrefix("s3:"):
      spec.login =
        spec.login
        ?? AccessKey.find(in: context.environment) {
          Self.text(of: $0, byteCountMax: 1 << 20)
        }
    case .bucket, .index, .checksums, .lines, .metalink, .archive, .zenodo, .figshare, .dataverse,
      .directory, .webDAV:
      break
    }
    return spec
  }

  /// The token that the tools of Hugging Face use
  /// (huggingface.co/docs/huggingface_hub/package_reference/environment_variables).
  private var hubToken: String? {
    let environment = context.environment
    if let token = environment["HF_TOKEN"]?.trimmingBlanks(), !token.isEmpty { return token }
    let home = environment["HOME"] ?? ""
    let cache = environment["XDG_CACHE_HOME"] ?? home + "/.cache"
    let path =
      environment["HF_TOKEN_PATH"]
      ?? (environment["HF_HOME"] ?? cache + "/huggingface") + "/token"
    let token = Self.text(of: path, byteCountMax: 4096)?.trimmingBlanks()
    return token?.isEmpty == false ? token : nil
  }

  /// Returns nil for a file that cannot be read or is too long.
  private static func text(of path: String, byteCountMax: Int) -> String? {
    let bytes = try? ArgumentPath.contents(of: path, byteCountMax: byteCountMax) { _ in true }
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }
}

/// An access key for S3, where the tools of Amazon look for it
/// (https://docs.aws.amazon.com/sdkref/latest/guide/creds-config-files.html,
/// https://docs.aws.amazon.com/sdkref/latest/guide/environment-variables.html).
enum AccessKey {
  /// The region of buckets if nothing names one.
  private static let usualRegion = "us-east-1"

  /// Returns the key that signs requests; nil if there is none, or if `AWS_ACCESS_KEY_ID` is set to
  /// nothing, which asks for requests that are not signed. The environment comes before the files.
  ///
  /// - Parameter read: returns the text of a file; nil if it cannot be read.
  static func find(in environment: [String: String], read: (String) -> String?) -> Login? {
    func variable(_ name: String) -> String? {
      environment[name]?.trimmingBlanks().nonEmpty
    }
    let home = environment["HOME"] ?? ""
    let profile = variable("AWS_PROFILE") ?? "default"
    let configuration = values(
      ofSection: profile == "default" ? profile : "profile " + profile,
      in: read(variable("AWS_CONFIG_FILE") ?? home + "/.aws/config") ?? "")
    let region =
      variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION") ?? configuration["region"]
      ?? usualRegion
    func login(key: String?, secret: String?, token: String?) -> Login? {
      guard let key, let secret else { return nil }
      let signing = Login.Signing(region: region, sessionToken: token)
      let login = Login(user: key, password: secret, signing: signing)
      return login.isUsable ? login : nil
    }
    if environment["AWS_ACCESS_KEY_ID"] != nil {
      return login(
        key: variable("AWS_ACCESS_KEY_ID"), secret: variable("AWS_SECRET_ACCESS_KEY"),
        token: variable("AWS_SESSION_TOKEN"))
    }
    let path = variable("AWS_SHARED_CREDENTIALS_FILE") ?? home + "/.aws/credentials"
    let keys = configuration.merging(values(ofSection: profile, in: read(path) ?? "")) { $1 }
    return login(
      key: keys["aws_access_key_id"], secret: keys["aws_secret_access_key"],
      token: keys["aws_session_token"])
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

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
