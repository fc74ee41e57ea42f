/// Base 64 (RFC 4648, section 4), for output to a terminal.
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".unicodeScalars)

  static func text(of bytes: some Sequence<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    var group: [UInt8] = []
    func flush() {
      guard !group.isEmpty else { return }
      let padded = group + Array(repeating: 0, count: 3 - group.count)
      let number = Int(padded[0]) << 16 | Int(padded[1]) << 8 | Int(padded[2])
      for place in 0...3 {
        let isFilled = place <= group.count
        text.append(isFilled ? alphabet[number >> (18 - 6 * place) & 63] : "=")
      }
      group.removeAll(keepingCapacity: true)
    }
    for byte in bytes {
      group.append(byte)
      if group.count == 3 { flush() }
    }
    flush()
    return String(text)
  }
}
