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
