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
    var spec = spec
    spec.useStore(in: context)
    guard let named = spec.options.collection?.source else { return spec }
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
        ?? Login.accessKey(in: context.environment) {
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

extension TransferSpec {
  /// Adds the object store settings from the command's environment. The keys of this machine are
  /// not sent to another one.
  mutating func useStore(in context: CommandContext) {
    guard context.host == nil, options.store == nil,
      directory.map(ObjectPrefix.isMeant) ?? false
    else { return }
    let access = ObjectStoreAccess(context.environment)
    if access != ObjectStoreAccess() { options.store = access }
  }
}
