/// Names one transfer for as long as the store lives; a number is never given twice.
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

/// Names one HTTP exchange within one run of the service.
public struct AttemptID: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Names a group of transfers of one program
/// (`URLSessionConfiguration.background(withIdentifier:)` on Apple's systems).
public struct SessionID: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  /// The session of the dashboard and of the commands.
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
