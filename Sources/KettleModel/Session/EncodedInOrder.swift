/// Encodes a set as an array in rising order, so that the same value is the same text: a set has
/// another order in each process.
@propertyWrapper
public struct EncodedInOrder<Element: Hashable & Sendable & Codable & Comparable>: Hashable,
  Sendable, Codable
{
  public var wrappedValue: Set<Element>

  public init(wrappedValue: Set<Element>) { self.wrappedValue = wrappedValue }

  public init(from decoder: any Decoder) throws { wrappedValue = try Set(from: decoder) }

  public func encode(to encoder: any Encoder) throws {
    try wrappedValue.sorted().encode(to: encoder)
  }
}
