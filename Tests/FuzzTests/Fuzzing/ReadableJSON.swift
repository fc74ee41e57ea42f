import Foundation

/// The form in which structured inputs are shown, saved and read back.
enum ReadableJSON {
  static func text(of value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(value)).map { [UInt8]($0) + [10] } ?? []
  }

  static func value<Value: Decodable>(from text: [UInt8]) -> Value? {
    try? JSONDecoder().decode(Value.self, from: Data(text))
  }
}
