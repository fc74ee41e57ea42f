import KettleModel

/// Follows the replies on the control connection of an FTP server (RFC 959, section 4.2).
struct FTPReplies {
  struct Reply: Hashable {
    var code: Int
    /// As on its last line, safe to show.
    var text: String

    /// The code and the text in one.
    var words: String { text.isEmpty ? "\(code)" : "\(code) \(text)" }
  }

  enum Progress: Hashable {
    case more
    case broken(String)
  }

  /// For all replies of an exchange together; greetings can be long.
  static let byteCountMax = 256 * 1024
  static let lineCountMax = 5000
  private static let textCharacterCountMax = 120
  /// The reply to QUIT, which libcurl sends after everything else.
  private static let goodbye = 221

  /// The last complete reply; not the goodbye.
  private(set) var last: Reply?
  /// Whether the server has said where it waits for the data connection.
  private(set) var hasDataAddress = false
  /// The size of the file as it answered SIZE. The reply to MDTM has the same code, but precedes
  /// the data address.
  private(set) var size: Int64?
  /// The size in its reply to RETR, `150 Opening … (2241 bytes)`.
  private(set) var openingSize: Int64?
  /// Whether it has accepted an offset.
  private(set) var hasRestarted = false
  private var isLoggedIn = false
  private var byteCount = 0
  private var lineCount = 0

  /// Reads a line with its line end. The last line of a reply has a space after the code, the
  /// others are skipped.
  mutating func read(_ line: some Collection<UInt8>) -> Progress {
    byteCount += line.count
    lineCount += 1
    guard byteCount <= Self.byteCountMax, lineCount <= Self.lineCountMax else {
      return .broken("its replies do not end")
    }
    let bytes = Array(line.prefix { $0 != 13 && $0 != 10 })
    guard bytes.count >= 3, bytes[..<3].allSatisfy({ (48...57).contains($0) }),
      bytes.count == 3 || bytes[3] == 32
    else { return .more }
    let code = bytes[..<3].reduce(0) { $0 * 10 + Int($1 - 48) }
    if code == Self.goodbye { return .more }
    let text = String(decoding: bytes.dropFirst(4), as: UTF8.self)
      .sanitizedForDisplay(limit: Self.textCharacterCountMax)
    last = Reply(code: code, text: text.hasSuffix(".") ? String(text.dropLast()) : text)
    switch code {
    case 227, 229: hasDataAddress = true
    case 213 where hasDataAddress: size = Self.size(atEndOf: text)
    case 230, 232: isLoggedIn = true
    case 350: hasRestarted = hasDataAddress
    case 125, 150: openingSize = Self.size(inBracketsOf: text)
    default: break
    }
    return .more
  }

  /// The last reply, if it refuses what is not encrypted. Servers have no common code for that, and
  /// before the login no file is spoken of.
  var demandOfTLS: Reply? {
    guard let last, last.code >= 400 else { return nil }
    let codesOfDataConnection = [521, 522, 533, 534, 536]
    guard !isLoggedIn || codesOfDataConnection.contains(last.code) else { return nil }
    let text = last.text.lowercased()
    return ["tls", "ssl", "encrypt", "auth "].contains(where: text.contains) ? last : nil
  }

  /// The number at the end of a text, which some servers put words before.
  private static func size(atEndOf text: String) -> Int64? {
    let text = text.trimmingBlanks()
    let digits = text.reversed().prefix { ("0"..."9").contains($0) }
    guard text.dropLast(digits.count).last != "-" else { return nil }
    return DecimalDigits.int64(text.suffix(digits.count))
  }

  /// The number in `(2241 bytes)`, anywhere in a text.
  private static func size(inBracketsOf text: String) -> Int64? {
    for part in text.split(separator: "(").dropFirst() {
      let digits = part.prefix { ("0"..."9").contains($0) }
      if part.dropFirst(digits.count).hasPrefix(" bytes") { return DecimalDigits.int64(digits) }
    }
    return nil
  }

  /// Whether the server waits for the data connection.
  var isAwaitingDataConnection: Bool { last?.code == 227 || last?.code == 229 }

  /// Forgets everything, for another connection.
  mutating func restart() { self = FTPReplies() }
}
