/// The meaning of a `Range` header for a file of known length (RFC 9110, section 14.1.2).
package enum DemoRange: Hashable, Sendable {
  /// No range, several ranges, or an invalid one: a server may reply with the whole file.
  case whole
  case part(Range<Int64>)
  /// The range contains no byte of the file.
  case unsatisfiable

  package init(_ header: String?, byteCount: Int64) {
    guard let header, header.lowercased().hasPrefix("bytes=") else {
      self = .whole
      return
    }
    let parts = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      self = .whole
      return
    }
    switch (Self.position(parts[0]), Self.position(parts[1])) {
    case (.number(let first), .number(let last)) where first <= last:
      self = Self.part(from: first, to: last < byteCount ? last + 1 : byteCount)
    case (.number(let first), .absent):
      self = Self.part(from: first, to: byteCount)
    case (.absent, .number(let suffix)):
      self = Self.part(from: byteCount - min(suffix, byteCount), to: byteCount)
    case (.number, .number), (.absent, .absent), (.unreadable, _), (_, .unreadable):
      self = .whole
    }
  }

  private static func part(from lower: Int64, to upper: Int64) -> DemoRange {
    lower < upper ? .part(lower..<upper) : .unsatisfiable
  }

  private enum Position {
    case absent, unreadable
    case number(Int64)
  }

  /// A number that does not fit into 64 bits is past the end of any file.
  private static func position(_ text: Substring) -> Position {
    if text.isEmpty { return .absent }
    guard text.utf8.allSatisfy({ (48...57).contains($0) }) else { return .unreadable }
    return .number(Int64(text) ?? .max)
  }
}
