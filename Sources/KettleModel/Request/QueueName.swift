/// The name of a user's queue: letters, digits, `-` and `_` of ASCII.
///
/// The configuration file gives queues their limits and hours. A transfer that names none is in
/// `default`.
///
///     let night = QueueName("night")
public struct QueueName: Hashable, Sendable {
  public let text: String

  public static let byteCountMax = 64
  public static let standard = QueueName(known: "default")

  /// Returns nil if the text is not a name.
  public init?(_ text: String) {
    guard (1...Self.byteCountMax).contains(text.utf8.count), text.utf8.allSatisfy(Self.isPermitted)
    else { return nil }
    self.text = text
  }

  private init(known text: String) { self.text = text }

  private static func isPermitted(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension QueueName: Comparable {
  /// `default` is first; the others follow by name.
  public static func < (left: QueueName, right: QueueName) -> Bool {
    if left == right { return false }
    if left == .standard || right == .standard { return left == .standard }
    return left.text < right.text
  }
}

extension QueueName: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let name = QueueName(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a queue's name")
    }
    self = name
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
