import KettleModel

/// The authentication before the first message: our identity is what the kernel reports (D-Bus
/// Specification, "Authentication Protocol", EXTERNAL).
struct BusHandshake {
  static let lineByteCountMax = 1024

  enum Step: Hashable {
    /// More input is needed.
    case wait
    /// Send this; messages follow, and `rest` arrived after the handshake.
    case begin(send: [UInt8], rest: [UInt8])
    case refused
  }

  private var line: [UInt8] = []

  /// The first bytes sent. A server that sees no credentials looks at the leading nul.
  static func greeting(userID: UInt32) -> [UInt8] {
    let digits = String(userID).utf8.hexadecimal
    return [0] + Array("AUTH EXTERNAL \(digits)\r\n".utf8)
  }

  mutating func receive(_ bytes: some Collection<UInt8>) -> Step {
    line += bytes
    guard let end = line.firstIndex(of: UInt8(ascii: "\n")) else {
      return line.count > Self.lineByteCountMax ? .refused : .wait
    }
    let words = line[..<end].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }
    guard end <= Self.lineByteCountMax, words.first?.elementsEqual("OK".utf8) == true else {
      return .refused
    }
    return .begin(send: Array("BEGIN\r\n".utf8), rest: Array(line[(end + 1)...]))
  }
}
