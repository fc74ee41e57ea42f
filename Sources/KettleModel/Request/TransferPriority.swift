/// A priority from 0 (last) to 1 (first). The named values are those of `URLSessionTask`.
public struct TransferPriority: Hashable, Comparable, Sendable {
  public let value: Double

  /// Returns nil outside 0…1.
  public init?(_ value: Double) {
    guard value >= 0, value <= 1 else { return nil }
    self.value = value
  }

  private init(known value: Double) { self.value = value }

  public static let low = TransferPriority(known: 0.25)
  public static let normal = TransferPriority(known: 0.5)
  public static let high = TransferPriority(known: 0.75)

  public static func < (left: TransferPriority, right: TransferPriority) -> Bool {
    left.value < right.value
  }
}

extension TransferPriority: Codable {
  private enum CodingKeys: String, CodingKey { case value }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let priority = TransferPriority(try container.decode(Double.self, forKey: .value)) else {
      throw DecodingError.dataCorruptedError(
        forKey: .value, in: container, debugDescription: "a priority is from 0 to 1")
    }
    self = priority
  }
}
