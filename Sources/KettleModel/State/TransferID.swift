/// Identifies one transfer. Numbers are never reused within a store.
public struct TransferID: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }

  public static func < (left: TransferID, right: TransferID) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension TransferID: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(rawValue: try decoder.singleValueContainer().decode(Int64.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

extension TransferID: CustomStringConvertible {
  public var description: String { String(rawValue) }
}

/// Identifies one HTTP exchange within one run of the service.
public struct AttemptID: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Identifies a group of transfers that belong to one program, as
/// `URLSessionConfiguration.background(withIdentifier:)` does on Apple's systems.
public struct SessionID: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  /// The session of the dashboard and the commands.
  public static let kettle = SessionID(rawValue: "kettle")
  /// The session of what this machine downloads for its fleet.
  package static let fleet = SessionID(rawValue: "fleet")

  /// 1 to 255 bytes; an environment variable carries it, which ends at a NUL.
  package var isUsable: Bool {
    (1...255).contains(rawValue.utf8.count) && !rawValue.utf8.contains(0)
  }
}

extension SessionID: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(rawValue: try decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

/// The number by which aria2's RPC names a transfer.
package struct GID: RawRepresentable, Hashable, Comparable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The GID of a transfer for which its client chose none.
  ///
  /// Clients show and accept the first digits alone, so ids that follow each other get numbers that
  /// differ in all digits. No two ids have the same one.
  package init(_ id: TransferID) {
    let mixed = UInt64(bitPattern: id.rawValue) &* Self.factor
    rawValue = (mixed ^ (mixed >> 32)) &* Self.factor
  }

  /// The transfer whose GID this is, if it was not chosen by a client.
  package var transferID: TransferID {
    let mixed = rawValue &* Self.inverse
    return TransferID(rawValue: Int64(bitPattern: (mixed ^ (mixed >> 32)) &* Self.inverse))
  }

  /// Any odd number with many digits; and the one that undoes a multiplication by it.
  private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
  private static let inverse: UInt64 = 0xF1DE_83E1_9937_733D

  /// Whether a client may choose it: no transfer has it, or will have it, of its own.
  package var isFree: Bool { rawValue != 0 && !(0...Self.idMax).contains(transferID.rawValue) }

  /// More transfers than a store ever has.
  private static let idMax: Int64 = 1 << 48

  package static let digitCount = 16

  /// Parses 16 hexadecimal digits.
  package init?(_ text: String) {
    guard text.utf8.count == Self.digitCount, let range = Self.range(ofPrefix: text) else {
      return nil
    }
    self = range.lowerBound
  }

  /// Returns the GIDs that begin with these digits; nil unless there are 1 to 16 of them.
  package static func range(ofPrefix digits: String) -> ClosedRange<GID>? {
    let count = digits.utf8.count
    guard (1...digitCount).contains(count), digits.utf8.allSatisfy(isDigit),
      let number = UInt64(digits, radix: 16)
    else { return nil }
    let bits = UInt64((digitCount - count) * 4)
    let first = number << bits
    return GID(rawValue: first)...GID(rawValue: first | ((1 << bits) &- 1))
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
  }

  package static func < (left: GID, right: GID) -> Bool { left.rawValue < right.rawValue }
}

extension GID: CustomStringConvertible {
  /// 16 digits.
  package var description: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: Self.digitCount - digits.utf8.count) + digits
  }
}
