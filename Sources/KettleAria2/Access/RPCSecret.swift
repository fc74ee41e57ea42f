/// The secret that clients present.
package struct RPCSecret: Hashable, Sendable {
  private let bytes: [UInt8]

  /// Returns nil for a text that is too short to be one.
  package init?(_ text: String) {
    guard (Self.byteCountMin...Self.byteCountMax).contains(text.utf8.count) else { return nil }
    bytes = Array(text.utf8)
  }

  package static let byteCountMin = 8
  package static let byteCountMax = 256

  /// Compares in a time that depends only on the length of the given text, so that the time does
  /// not reveal how many characters are right.
  package func matches(_ given: String?) -> Bool {
    guard let given else { return false }
    var difference: UInt8 = 0
    var count = 0
    for byte in given.utf8.prefix(Self.byteCountMax + 1) {
      difference |= byte ^ bytes[count % bytes.count]
      count += 1
    }
    return difference == 0 && count == bytes.count
  }
}
