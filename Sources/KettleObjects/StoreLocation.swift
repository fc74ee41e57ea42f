import KettleModel

/// A bucket, and how requests to it are signed.
struct StoreLocation: Sendable, Hashable {
  /// Ends with a slash.
  var bucket: TransferURL
  /// nil for requests that are not signed.
  var login: Login?

  var region: String? { login?.signing?.region }

  /// Returns nil for an endpoint that cannot be used.
  ///
  /// At Amazon the bucket is a part of the host, unless it has a dot, because no certificate covers
  /// that (https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html). Elsewhere
  /// it is the first component of the path, which every service understands.
  init?(_ bucket: String, _ access: ObjectStoreAccess, login: Login?) {
    let region = access.region ?? ObjectStoreAccess.usualRegion
    let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
    let usual = "https://s3.\(region).\(domain)"
    let isPath =
      access.usesPathStyle ?? (access.endpoint != nil || bucket.utf8.contains(UInt8(ascii: ".")))
    guard let root = access.endpoint ?? Self.url(usual) else { return nil }
    let url: TransferURL?
    if isPath {
      url = root.below(bucket + "/")
    } else {
      let host = root.origin.text.replacing(
        firstOf: "://", with: "://\(bucket).")
      url = Self.url(host + (root.path.hasSuffix("/") ? root.path : root.path + "/"))
    }
    guard let url else { return nil }
    self.bucket = url
    self.login = login
    self.login?.signing?.region = region
  }

  private static func url(_ text: String) -> TransferURL? {
    guard case .success(let parsed) = TransferURL.parse(text) else { return nil }
    return parsed.url
  }
}

extension String {
  fileprivate func replacing(firstOf text: String, with other: String) -> String {
    guard let range = firstRange(of: text) else { return self }
    return self[..<range.lowerBound] + other + self[range.upperBound...]
  }
}

/// The keys that a container's service gives, as JSON
/// (https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html).
struct ContainerKeyDocument: Decodable {
  var AccessKeyId: String
  var SecretAccessKey: String
  var Token: String?

  var login: Login? {
    let signing = Login.Signing(region: ObjectStoreAccess.usualRegion, sessionToken: Token)
    let login = Login(user: AccessKeyId, password: SecretAccessKey, signing: signing)
    return login.isUsable ? login : nil
  }
}
