/// Encodes a set as a sorted array, so that equal values encode identically. The order of a set
/// differs between processes.
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
