import KettleModel

/// A `Content-Range` header (RFC 9110, section 14.4).
package enum ContentRange: Sendable, Hashable {
  /// `bytes 0-499/1234`; the total is nil for `*`.
  case part(ByteRange, total: Int64?)
  /// `bytes */1234`: the requested range does not exist.
  case unsatisfied(total: Int64)

  /// Returns nil for every other unit, order, sign, blank or number beyond 64 bits: a range that is
  /// not understood must not be written anywhere.
  package init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
    let halves = parts[1].split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let total = DecimalDigits.int64(halves[1])
    if halves[0] == "*" {
      guard let total else { return nil }
      self = .unsatisfied(total: total)
      return
    }
    let bounds = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard bounds.count == 2, let first = DecimalDigits.int64(bounds[0]),
      let last = DecimalDigits.int64(bounds[1]), last < .max,
      let range = ByteRange(lower: first, upper: last + 1), !range.isEmpty,
      total != nil || halves[1] == "*"
    else { return nil }
    if let total, range.upper > total { return nil }
    self = .part(range, total: total)
  }

  /// Whether it describes a body of this length as the whole file.
  func isWhole(ofByteCount byteCount: Int64) -> Bool {
    switch self {
    case .part(let range, let total):
      range.lower == 0 && range.upper == byteCount && (total ?? byteCount) == byteCount
    case .unsatisfied(let total): total == byteCount
    }
  }
}

extension ResponseHead {
  /// The size of the whole file; nil if the head does not say it.
  var fileByteCount: Int64? {
    switch status {
    case 200: return contentCoding == nil ? bodyByteCount : nil
    case 206, 416:
      switch value(of: "Content-Range").flatMap(ContentRange.init) {
      case .part(_, let total)?: return total
      case .unsatisfied(let total)?: return total
      case nil: return nil
      }
    default: return nil
    }
  }

  /// The length of the body by `Content-Length`; nil when there is no reliable one (absent,
  /// contradictory, not a number, or beside a transfer coding: RFC 9112, section 6.3).
  package var bodyByteCount: Int64? {
    guard !hasTransferCoding, let text = value(of: "Content-Length") else {
      return nil
    }
    return DecimalDigits.int64(text.trimmed)
  }

  /// Whether the bytes of the body count only when it has ended, all or none. A transfer coding may
  /// be wrong, which shows only after the bytes that it corrupts (RFC 9112, section 7.1). A part
  /// without a length may be in chunks that the head does not announce, and then it is longer than
  /// its Content-Range.
  package var countsOnlyAtItsEnd: Bool {
    hasTransferCoding || (status == 206 && bodyByteCount == nil)
  }

  private var hasTransferCoding: Bool { !values(of: "Transfer-Encoding").isEmpty }

  /// The content codings in lower case, in the order of their application (RFC 9110, section 8.4),
  /// cut to what can be shown; nil if there are none. Some servers name things that are none.
  package var contentCoding: String? {
    let codings = values(of: "Content-Encoding").flatMap { $0.split(separator: ",") }
      .map { $0.trimmed.lowercased() }
      .filter { !Self.namesOfNoCoding.contains($0) }
    let text = codings.joined(separator: ", ").sanitizedForDisplay(limit: 40)
    return text.isEmpty ? nil : text
  }

  private static let namesOfNoCoding: Set<String> = [
    "", "identity", "none", "binary", "utf-8", "aws-chunked",
  ]

  /// What distinguishes this version of the resource from others.
  package var validator: Validator? {
    let entityTag = value(of: "ETag").map { String($0.trimmed) }.flatMap(Self.checkedEntityTag)
    let lastModified = value(of: "Last-Modified").map { String($0.trimmed) }
    let modified = lastModified.flatMap(HTTPDate.parse)
    let date = value(of: "Date").flatMap(HTTPDate.parse)
    if entityTag == nil && modified == nil { return nil }
    let isStrong =
      if let modified, let date {
        date.millisecondsSince1970 - modified.millisecondsSince1970 >= 1000
      } else { false }
    return Validator(
      entityTag: entityTag, lastModified: modified == nil ? nil : lastModified,
      isLastModifiedStrong: isStrong)
  }

  /// `"…"` or `W/"…"` of visible bytes (RFC 9110, section 8.8.3). Anything else is not a tag
  /// and is never sent back.
  private static func checkedEntityTag(_ text: String) -> String? {
    let opaque = text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
    guard opaque.utf8.count >= 2, opaque.utf8.count <= 1024, opaque.hasPrefix("\""),
      opaque.hasSuffix("\""),
      opaque.dropFirst().dropLast().utf8.allSatisfy({ $0 >= 33 && $0 != 34 && $0 != 127 })
    else { return nil }
    return text
  }
}

extension StringProtocol {
  /// The text without spaces and tabs at both ends.
  var trimmed: Substring {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let front = self[...].drop(while: isBlank)
    guard let last = front.lastIndex(where: { !isBlank($0) }) else { return "" }
    return Substring(front[...last])
  }
}

/// A `Retry-After` header (RFC 9110, section 10.2.3), as a wait from now.
package struct RetryAfter: Sendable, Hashable {
  package var milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// The wait, at most one day.
  package var boundedMilliseconds: Int64 {
    min(max(milliseconds, 0), RetryPolicy.waitMillisecondsMax)
  }

  /// Parses seconds or a date. A date is measured from the server's own `Date`, because its clock
  /// and ours may differ. Returns nil for an invalid value; a past date means now. Without the
  /// header, what the server says of its limits counts (`RateLimit`).
  package init?(_ head: ResponseHead, at now: Moment) {
    guard let value = head.value(of: "Retry-After") else {
      guard let pause = RateLimit.pauseMilliseconds(head, at: now) else { return nil }
      milliseconds = pause
      return
    }
    let text = value.trimmed
    if let seconds = DecimalDigits.int64(text) {
      let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
      self.milliseconds = overflow ? .max : milliseconds
      return
    }
    guard let date = HTTPDate.parse(String(text)) else { return nil }
    let reference = head.value(of: "Date").flatMap(HTTPDate.parse) ?? now.wall
    milliseconds = max(0, date.millisecondsSince1970 - reference.millisecondsSince1970)
  }
}

extension ResponseHead {
  /// The digest of the whole file according to the server: `Repr-Digest: sha-256=:BASE64:` (RFC
  /// 9530, section 3), else its predecessor `Digest: sha-256=BASE64` (RFC 3230). Returns the
  /// strongest supported one, or nil.
  package var representationDigest: Checksum? {
    let found =
      values(of: "Repr-Digest").flatMap { Self.digests(in: $0, isQuotedByColons: true) }
      + values(of: "Digest").flatMap { Self.digests(in: $0, isQuotedByColons: false) }
      + storageDigests
    return found.max { $0.algorithm.strength < $1.algorithm.strength }
  }

  /// The digests that object stores send: `x-amz-checksum-sha256: BASE64` and
  /// `x-goog-hash: md5=BASE64` of the stored object, and `Content-MD5: BASE64` (RFC 1864) of what
  /// is sent, which for a part is not the file.
  private var storageDigests: [Checksum] {
    func digests(_ name: String, _ algorithm: Checksum.Algorithm) -> [Checksum] {
      // That of an object uploaded in parts ends with their number and is not one of its bytes.
      value(of: name).flatMap { Self.digest(algorithm, String($0.trimmed)) }.map { [$0] } ?? []
    }
    return values(of: "x-goog-hash").flatMap { Self.digests(in: $0, isQuotedByColons: false) }
      + digests("x-amz-checksum-sha256", .sha256) + digests("x-amz-checksum-sha1", .sha1)
      + (status == 206 ? [] : digests("Content-MD5", .md5))
  }

  private static func digest(_ algorithm: Checksum.Algorithm, _ base64: String) -> Checksum? {
    Base64Bytes(base64).flatMap { Checksum(algorithm: algorithm, hex: $0.bytes.hexadecimal) }
  }

  /// `text/html` for `Text/HTML; charset=utf-8`.
  package var mediaType: String? {
    guard let value = value(of: "Content-Type") else { return nil }
    let type = value.prefix { $0 != ";" }.trimmed.lowercased()
    return type.isEmpty || type.utf8.count > 100 ? nil : type
  }

  private static func digests(in value: String, isQuotedByColons: Bool) -> [Checksum] {
    value.split(separator: ",").compactMap { member in
      let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let algorithm = algorithm(named: parts[0].trimmed.lowercased()) else {
        return nil
      }
      var text = parts[1].trimmed
      if isQuotedByColons {
        guard text.count >= 2, text.hasPrefix(":"), text.hasSuffix(":") else { return nil }
        text = text.dropFirst().dropLast()
      }
      return digest(algorithm, String(text))
    }
  }

  /// The names of RFC 9530, section 5, and of RFC 3230, which also has `sha` and `md5`.
  private static func algorithm(named name: String) -> Checksum.Algorithm? {
    switch name {
    case "sha-512": .sha512
    case "sha-256": .sha256
    case "sha": .sha1
    case "md5": .md5
    default: nil
    }
  }
}

extension Checksum.Algorithm {
  fileprivate var strength: Int { hexDigitCount }
}
