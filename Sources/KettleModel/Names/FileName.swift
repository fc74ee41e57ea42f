/// The name of a file: one path component that can be created beside the user's files.
///
/// Invariant: there are two ways to a name, and none around them. What the user has typed is taken
/// as it is or refused (`init(typed:)`). What anyone else has chosen (a header, a document, a web
/// page, a program of a page, a URL) is made harmless (`init(foreign:)`). So no document can create
/// `.bash_aliases`, `-rf` or `~`, and a foreign name is unchanged when it passes through
/// `init(foreign:)` again. Neither kind is empty, means a directory, has a slash or a control
/// character, or is longer than `byteCountMax`.
public struct FileName: Hashable, Sendable {
  public let text: String
  public let origin: Origin

  public enum Origin: String, Sendable {
    case user
    case foreign
  }

  /// Takes a name from the user unchanged. A leading dot or dash is the user's own choice.
  public init(typed text: String) throws(FileNameProblem) {
    if let problem = Self.problem(ofUserGiven: text) { throw problem }
    self.text = text
    origin = .user
  }

  /// Makes a name of text from outside; returns nil when nothing of it is left.
  public init?(foreign text: String) {
    // Nearly all components are safe as they are.
    let isComponent = !text.utf8.contains(UInt8(ascii: "/"))
    let plain = isComponent ? Self.plainLastSegment(of: text.utf8.span) : nil
    guard let name = plain ?? Self.sanitized(text) else { return nil }
    self.text = name
    origin = .foreign
  }

  /// Restores a name from a record. One that others have written there is not believed to be the
  /// user's: nil when nothing of it is left.
  public init?(recorded text: String, _ origin: Origin) {
    if origin == .user, let name = try? FileName(typed: text) {
      self = name
    } else {
      self.init(foreign: text)
    }
  }
}

extension FileName {
  /// NAME_MAX of the Linux file systems.
  package static let componentByteCountMax = 255

  /// The suffix of partial files.
  package static let partialSuffix = ".part"

  /// The longest name for which a partial file can be created.
  package static let byteCountMax = componentByteCountMax - partialSuffix.utf8.count

  /// The largest number that `numbered` receives.
  package static let numberMax = 9999

  /// The length to which a foreign name is cut, so that any number fits after it.
  package static let sanitizedByteCountMax = byteCountMax - " (\(numberMax))".utf8.count
}

extension FileName: Codable {
  private enum CodingKeys: String, CodingKey {
    case foreign
  }

  /// A name of the user is a string, one from outside is the object `{"foreign": NAME}`.
  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: CodingKeys.self) {
      let text = try container.decode(String.self, forKey: .foreign)
      guard let name = FileName(foreign: text) else {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(
            codingPath: container.codingPath, debugDescription: "nothing of the name is left",
            underlyingError: FileNameProblem.empty))
      }
      self = name
      return
    }
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    do throws(FileNameProblem) {
      try self.init(typed: text)
    } catch {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: container.codingPath, debugDescription: error.sentence(text),
          underlyingError: error))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch origin {
    case .user:
      var container = encoder.singleValueContainer()
      try container.encode(text)
    case .foreign:
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(text, forKey: .foreign)
    }
  }
}

/// Why a name from the user cannot be a file name.
public enum FileNameProblem: Error, Hashable, Sendable {
  case empty
  /// `.` and `..` are directories.
  case directoryReference
  case slash
  case controlCharacter
  case tooLong

  /// The problem, its subject and the remedy; without a period.
  package func sentence(_ name: String) -> String {
    let shown = "\"" + name.sanitizedForDisplay(limit: 80) + "\""
    return switch self {
    case .empty: "The name of the file is empty; give one such as file.iso"
    case .directoryReference: "The name \(shown) means a directory; give the name of a file"
    case .slash:
      "The name \(shown) has a \"/\" in it; give the name alone and choose the directory with -d"
    case .controlCharacter:
      "The name \(shown) has a control character or line break in it; take it out"
    case .tooLong:
      "The name \(shown) is longer than \(FileName.byteCountMax) bytes; shorten it"
    }
  }
}

extension FileName {
  /// Returns the problem with a name from the user, or nil when it can be used unchanged.
  ///
  /// A leading dot or dash is the user's own choice and is kept.
  package static func problem(ofUserGiven name: String) -> FileNameProblem? {
    if name.isEmpty { return .empty }
    if name == "." || name == ".." { return .directoryReference }
    for scalar in name.unicodeScalars {
      if scalar == "/" { return .slash }
      if scalar.isControl { return .controlCharacter }
    }
    return name.utf8.count > byteCountMax ? .tooLong : nil
  }
}

extension FileName {
  /// No common extension is longer; anything longer is a sentence with a dot in it.
  private static let extensionByteCountMax = 16

  /// Splits a name into a stem, which may be numbered or cut, and a suffix, which must stay:
  /// `a.tar.gz` is `a` and `.tar.gz`; `.profile` and `Version 1.2` have no extension.
  package static func parts(of name: String) -> (stem: String, suffix: String) {
    guard let dot = extensionDot(in: name[...]) else { return (name, "") }
    let stem = name[..<dot]
    if let innerDot = extensionDot(in: stem), stem[innerDot...].lowercased() == ".tar" {
      return (String(stem[..<innerDot]), String(name[innerDot...]))
    }
    return (String(stem), String(name[dot...]))
  }

  private static func extensionDot(in name: Substring) -> String.Index? {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
    let letters = name[dot...].dropFirst()
    guard letters.utf8.count < extensionByteCountMax, letters.contains(where: \.isLetter),
      !letters.contains(where: \.isWhitespace)
    else { return nil }
    return dot
  }

  /// What may be added to a name: a number, and the suffix of the partial file.
  package static let addedByteCountMax = " (\(numberMax))".utf8.count + partialSuffix.utf8.count

  /// Cuts the stem of a name that is too long; the extension stays while there is room for it.
  package static func cut(_ name: String, toFit byteCountMax: Int) -> String {
    guard name.utf8.count > byteCountMax else { return name }
    let (stem, suffix) = parts(of: name)
    let room = byteCountMax - suffix.utf8.count
    return room > 0
      ? cut(stem, toByteCount: room) + suffix : cut(name, toByteCount: max(1, byteCountMax))
  }

  /// The start of a text, at most `limit` bytes of UTF-8, cut between two characters.
  package static func cut(_ text: String, toByteCount limit: Int) -> String {
    guard text.utf8.count > limit else { return text }
    var kept = ""
    var byteCount = 0
    for character in text {
      byteCount += character.utf8.count
      if byteCount > limit { break }
      kept.append(character)
    }
    if kept.isEmpty { return cutInsideCharacter(text, toByteCount: limit) }
    return kept
  }

  /// A letter with hundreds of accents is one character and longer than any name may be.
  private static func cutInsideCharacter(_ text: String, toByteCount limit: Int) -> String {
    var kept = ""
    var byteCount = 0
    for scalar in text.unicodeScalars {
      byteCount += scalar.utf8.count
      if byteCount > limit { break }
      kept.unicodeScalars.append(scalar)
    }
    return kept
  }
}

extension FileName {
  /// The last segment of a path if it is already safe, as nearly all are; nil means undecided. A
  /// fast path, because the name of every added transfer is displayed.
  package static func plainLastSegment(of path: Span<UInt8>) -> String? {
    var start = path.count
    while start > 0, path[start - 1] != UInt8(ascii: "/") { start -= 1 }
    let name = path.extracting(start..<path.count)
    guard isPlain(name) else { return nil }
    return name.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether a name without a slash is already safe; false means undecided.
  static func isPlain(_ name: Span<UInt8>) -> Bool {
    guard name.count > 0, name.count <= sanitizedByteCountMax else { return false }
    var stemCount = name.count
    for index in name.indices {
      let byte = name[index]
      guard isPlain(byte), index > 0 || isLetterOrDigit(byte) else { return false }
      if byte == UInt8(ascii: "."), stemCount == name.count { stemCount = index }
    }
    // `con.txt` and `lpt1` have stems of this length, which begin with one of five letters.
    return name[name.count - 1] != UInt8(ascii: ".")
      && (!(3...4).contains(stemCount) || !"cpanl".utf8.contains(name[0] | 0x20))
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "+"): true
    default: isLetterOrDigit(byte)
    }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
