import FoundationEssentials

/// The encoding of the columns that are read back as a whole.
struct StoredJSON {
  private let encoder: JSONEncoder
  private let decoder = JSONDecoder()

  init() {
    encoder = JSONEncoder()
    // Equal values produce equal text, which makes stores comparable.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  func text(_ value: some Encodable) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  func value<Value: Decodable>(_ type: Value.Type, in text: String) throws -> Value {
    try decoder.decode(type, from: Data(text.utf8))
  }
}
