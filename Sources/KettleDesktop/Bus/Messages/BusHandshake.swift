/// The talk before the first message: we are who the kernel says that we are (D-Bus Specification,
/// "Authentication Protocol", EXTERNAL).
struct BusHandshake {
  static let lineByteCountMax = 1024

  enum Step: Hashable {
    /// More must come.
    case wait
    /// Send this; from then on there are messages, and this came behind the talk.
    case begin(send: [UInt8], rest: [UInt8])
    case refused
  }

  private var line: [UInt8] = []

  /// What is sent first. A server that sees no credentials looks at the leading nul.
  static func greeting(userID: UInt32) -> [UInt8] {
    let digits = String(userID).utf8.map { byte in
      String(byte, radix: 16)
    }
    return [0] + Array("AUTH EXTERNAL \(digits.joined())\r\n".utf8)
  }

  mutating func take(_ bytes: some Collection<UInt8>) -> Step {
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
