/// The status and headers of a response.
public struct ResponseHead: Hashable, Sendable, Codable {
  public var status: Int
  public var headers: [HeaderField]

  public init(status: Int, headers: [HeaderField]) {
    self.status = status
    self.headers = headers
  }

  /// All values of the header `name`, in order. Ignores the case of names.
  public func values(of name: String) -> [String] {
    let lowered = name.lowercased()
    return headers.lazy.filter { $0.name.lowercased() == lowered }.map(\.value)
  }

  /// The value of the header `name`; nil if it is absent or occurs with different values.
  public func value(of name: String) -> String? {
    let all = values(of: name)
    guard let first = all.first, all.allSatisfy({ $0 == first }) else { return nil }
    return first
  }
}

/// Distinguishes versions of a resource (RFC 9110, section 8.8).
public struct Validator: Hashable, Sendable, Codable {
  /// The ETag as sent, including quotes and `W/`.
  public var entityTag: String?
  /// The Last-Modified date as sent.
  public var lastModified: String?
  /// Whether Last-Modified is at least a second before Date, so that a later change would have
  /// another date (RFC 9110, section 8.8.2.2).
  public var isLastModifiedStrong: Bool

  public init(entityTag: String?, lastModified: String?, isLastModifiedStrong: Bool) {
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.isLastModifiedStrong = isLastModifiedStrong
  }

  /// The value for `If-Range`: a strong ETag, else a strong date; never a weak one (RFC 9110,
  /// section 13.1.5).
  public var strongValue: String? {
    // An empty ETag counts as absent: libcurl would omit an empty If-Range header.
    if let entityTag, !entityTag.isEmpty { return strongEntityTag }
    return isLastModifiedStrong ? lastModified : nil
  }

  public var strongEntityTag: String? {
    guard let entityTag, !entityTag.isEmpty, !entityTag.hasPrefix("W/") else { return nil }
    return entityTag
  }
}

/// Heads made from what a server of files (FTP, SFTP) said, in the vocabulary of HTTP.
extension ResponseHead {
  /// Names the server's own words in such a head. Ignored in a head that came over HTTP.
  package static let serverWordsName = "Server-Words"

  /// A refusal.
  ///
  /// - Parameter words: the server's own, such as `550 No such file`; safe to show.
  package init(status: Int, serverWords words: String) {
    self.init(status: status, headers: [HeaderField(received: Self.serverWordsName, words)])
  }

  /// Names why a login is missing that the user has. With its blank, no server can send it.
  private static let loginProblemName = "Login Problem"

  /// Why a login that the user has was not sent; nil if it was, or there is none. Safe to show.
  package var loginProblem: String? { value(of: Self.loginProblemName) }

  /// The same head, which for a 401 tells why a login is missing.
  package func explaining(_ loginProblem: String?) -> ResponseHead {
    guard status == 401, let loginProblem else { return self }
    var head = self
    head.headers.append(
      HeaderField(received: Self.loginProblemName, loginProblem.sanitizedForDisplay(limit: 300)))
    return head
  }

  /// What the server of the URL said: its own words, or for HTTP the status.
  package func words(from url: TransferURL) -> String {
    switch url.scheme.family {
    case .http: "\(status)"
    case .ftp, .sftp: value(of: Self.serverWordsName) ?? "\(status)"
    }
  }
}
