/// The bytes from `lower` up to but not including `upper`.
///
/// HTTP includes the last byte (RFC 9110, section 14.1.2), which is `lastByte`.
public struct ByteRange: Hashable, Sendable {
  public let lower: Int64
  public let upper: Int64

  /// Returns nil unless `0 <= lower <= upper`.
  public init?(lower: Int64, upper: Int64) {
    guard lower >= 0, lower <= upper else { return nil }
    self.lower = lower
    self.upper = upper
  }

  /// The empty range at offset 0.
  public static let nothing = ByteRange(knownLower: 0, knownUpper: 0)

  private init(knownLower: Int64, knownUpper: Int64) {
    lower = knownLower
    upper = knownUpper
  }

  public var byteCount: Int64 { upper - lower }
  public var isEmpty: Bool { lower == upper }
  public var lastByte: Int64 { upper - 1 }
}
