/// The status and headers of a reply, before any byte of its body.
public struct ResponseHead: Hashable, Sendable, Codable {
  public var status: Int
  public var headers: [HeaderField]

  public init(status: Int, headers: [HeaderField]) {
    self.status = status
    self.headers = headers
  }

  /// Every value of the header called `name`, in order; names are compared without case.
  public func values(of name: String) -> [String] {
    let lowered = name.lowercased()
    return headers.lazy.filter { $0.name.lowercased() == lowered }.map(\.value)
  }

  /// The value of the header called `name`; nil if it is absent or ambiguous because it occurs
  /// twice with different values.
  public func value(of name: String) -> String? {
    let all = values(of: name)
    guard let first = all.first, all.allSatisfy({ $0 == first }) else { return nil }
    return first
  }
}

/// What tells two versions of a resource apart (RFC 9110, section 8.8).
public struct Validator: Hashable, Sendable, Codable {
  /// The ETag as it was sent, quotes and `W/` included.
  public var entityTag: String?
  /// The Last-Modified date as it was sent.
  public var lastModified: String?
  /// Last-Modified lies at least a second before Date, so a second change would show
  /// (RFC 9110, section 8.8.2.2).
  public var isLastModifiedStrong: Bool

  public init(entityTag: String?, lastModified: String?, isLastModifiedStrong: Bool) {
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.isLastModifiedStrong = isLastModifiedStrong
  }

  /// What may stand in `If-Range`: a strong ETag, else a strong date; never a weak one
  /// (RFC 9110, section 13.1.5).
  public var strongValue: String? {
    // An empty ETag is none: sent in If-Range, it would take the header away.
    if let entityTag, !entityTag.isEmpty { return entityTag.hasPrefix("W/") ? nil : entityTag }
    return isLastModifiedStrong ? lastModified : nil
  }
}
