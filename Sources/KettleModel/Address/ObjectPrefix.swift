/// Where objects are stored: a bucket, and what their keys begin with.
///
/// It is written like a directory, `s3://BUCKET/PREFIX`, and stands in the place of one: the file
/// `a.iso` in `s3://data/raw` is the object with the key `raw/a.iso` in the bucket `data`.
public struct ObjectPrefix: Hashable, Sendable {
  public let bucket: String
  /// Neither begins nor ends with a slash; empty for the whole bucket.
  public let prefix: String

  /// The longest key (docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html).
  public static let keyByteCountMax = 1024
  private static let scheme = "s3://"

  /// Returns whether a text is meant to be one, whatever is wrong with it.
  public static func isMeant(by text: String) -> Bool {
    text.utf8.count >= scheme.utf8.count
      && text.utf8.prefix(scheme.utf8.count).elementsEqual(
        scheme.utf8, by: { $0 == $1 || $0 == $1 & ~0x20 })
  }

  /// Returns nil for a text of another form, for a name that no bucket has, and for keys that a URL
  /// cannot name: with control characters, empty components, or dots alone as a component.
  public init?(_ text: String) {
    guard Self.isMeant(by: text) else { return nil }
    var components = text.utf8.dropFirst(Self.scheme.utf8.count)
      .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    let bucket = components.removeFirst()
    if components.last?.isEmpty == true { components.removeLast() }
    let prefix = components.joined(separator: "/")
    guard Self.isBucket(bucket), prefix.utf8.count < Self.keyByteCountMax,
      components.allSatisfy(Self.isRequestable),
      !prefix.unicodeScalars.contains(where: \.isControl)
    else { return nil }
    self.bucket = bucket
    self.prefix = prefix
  }

  public var text: String {
    prefix.isEmpty ? Self.scheme + bucket : Self.scheme + bucket + "/" + prefix
  }

  /// Returns the key of a file; nil if it is too long or a URL cannot name it.
  public func key(of name: String) -> String? {
    let key = prefix.isEmpty ? name : prefix + "/" + name
    return Self.isRequestable(name) && key.utf8.count <= Self.keyByteCountMax ? key : nil
  }

  /// In a URL with dots alone as a component, it would be taken out.
  private static func isRequestable(_ component: String) -> Bool {
    !component.isEmpty && component != "." && component != ".."
  }

  /// Whether a bucket can have this name: 3 to 63 lower-case letters, digits, dots and hyphens
  /// (docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html).
  ///
  /// - Parameter others: the other characters that are permitted.
  package static func isBucket(_ name: String, others: String = ".-") -> Bool {
    guard (3...63).contains(name.utf8.count), let first = name.utf8.first,
      let last = name.utf8.last, isLetterOrDigit(first), isLetterOrDigit(last)
    else { return false }
    return !name.contains("..")
      && name.utf8.allSatisfy { isLetterOrDigit($0) || others.utf8.contains($0) }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: false
    }
  }
}

extension TransferSpec {
  /// The object store that gets the file; nil for a directory.
  package var objectPrefix: ObjectPrefix? { directory.flatMap { ObjectPrefix($0) } }
}
