import FoundationEssentials

/// A value that one host or person wrote into the table; nil if it cannot be decoded. The table
/// sends it as a string of JSON, so that a value that is nested too deeply does not fail the whole
/// answer.
@propertyWrapper
package struct HostWritten<Value: Hashable & Sendable & Decodable>: Hashable, Sendable, Decodable {
  package var wrappedValue: Value?

  package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  init(text: String) {
    wrappedValue = try? JSONDecoder().decode(Value.self, from: Data(text.utf8))
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self.init(wrappedValue: nil)
    } else {
      self.init(text: try container.decode(String.self))
    }
  }
}

extension KeyedDecodingContainer {
  package func decode<Value>(
    _ type: HostWritten<Value>.Type, forKey key: Key
  ) throws -> HostWritten<Value> {
    try decodeIfPresent(type, forKey: key) ?? HostWritten(wrappedValue: nil)
  }
}

/// A number that the table sends and this machine calculates with: from 0 to 2^53, whatever was
/// written.
@propertyWrapper
package struct Amount<Value: AmountValue>: Hashable, Sendable, Codable {
  private var value: Value

  package var wrappedValue: Value {
    get { value }
    set { value = newValue.bounded }
  }

  package init(wrappedValue: Value) { value = wrappedValue.bounded }

  package init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try Value(from: decoder))
  }

  package func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

package protocol AmountValue: Hashable, Sendable, Codable {
  var bounded: Self { get }
}

extension Int64: AmountValue {
  package var bounded: Int64 { Swift.min(Swift.max(self, 0), 1 << 53) }
}

extension Int: AmountValue {
  package var bounded: Int { Int(Int64(self).bounded) }
}

extension Optional: AmountValue where Wrapped: AmountValue {
  package var bounded: Wrapped? { map(\.bounded) }
}

extension KeyedDecodingContainer {
  package func decode<Value>(_ type: Amount<Value?>.Type, forKey key: Key) throws -> Amount<Value?>
  {
    try decodeIfPresent(type, forKey: key) ?? Amount(wrappedValue: nil)
  }
}

extension KeyedEncodingContainer {
  package mutating func encode<Value>(_ value: Amount<Value?>, forKey key: Key) throws {
    try encodeIfPresent(value.wrappedValue, forKey: key)
  }
}
