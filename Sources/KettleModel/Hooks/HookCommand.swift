/// A program that the service starts when something has happened, and its arguments. No shell reads
/// them.
///
///     let command = try HookCommand.make(["notify-send", "{title}"]).get()
public struct HookCommand: Hashable, Sendable {
  /// The program, then its arguments.
  public let words: [String]

  /// Why words are not a command.
  public enum Problem: Error, Hashable, Sendable {
    case empty
    /// It has more than `wordCountMax` words or `byteCountMax` bytes.
    case tooLong
    /// A word contains a NUL, which no argument of a program can have.
    case notText
    /// The program is neither an absolute path nor a name.
    case relativeProgram
    /// A shell would execute what stands for a placeholder.
    case placeholderForShell
  }

  public static let wordCountMax = 256
  public static let byteCountMax = 16 << 10

  private init(words: [String]) { self.words = words }

  /// Returns the command, or what is wrong with the words.
  public static func make(_ words: [String]) -> Result<HookCommand, Problem> {
    wellFormed(words).flatMap { command in
      command.fillsShellText ? .failure(.placeholderForShell) : .success(command)
    }
  }

  /// Returns the command, whether or not a shell would execute what stands for a placeholder.
  fileprivate static func wellFormed(_ words: [String]) -> Result<HookCommand, Problem> {
    guard let program = words.first, !program.isEmpty else { return .failure(.empty) }
    let byteCount = words.reduce(0) { $0 + $1.utf8.count }
    if words.count > wordCountMax || byteCount > byteCountMax { return .failure(.tooLong) }
    if words.contains(where: { $0.utf8.contains(0) }) { return .failure(.notText) }
    if program.contains("/"), !program.hasPrefix("/"), !program.hasPrefix("~/") {
      return .failure(.relativeProgram)
    }
    return .success(HookCommand(words: words))
  }

  /// An absolute path, a path that begins with `~/`, or a name to look up.
  public var program: String { words.first ?? "" }

  /// The last part of the program's path.
  public var programName: String { Self.lastPart(of: program) }

  private static func lastPart(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// Shells, and programs that pass the text behind `-c` to one.
  private static let shells: Set<String> = [
    "ash", "bash", "csh", "dash", "elvish", "es", "fish", "flock", "hush", "ksh", "lksh", "mksh",
    "nu", "oksh", "osh", "pdksh", "posh", "pwsh", "runuser", "script", "sg", "sh", "su", "tcsh",
    "xonsh", "yash", "zsh",
  ]

  /// Whether the word names one of them; a shell may be restricted (`rbash`) or have its version
  /// in its name (`bash5.2`, `ksh93`).
  package static func isShell(_ word: String) -> Bool {
    let name = lastPart(of: word)
    let versionless = String(name.reversed().drop { $0.isNumber || ".-".contains($0) }.reversed())
    return [name, versionless, String(versionless.drop { $0 == "r" })].contains(
      where: shells.contains)
  }

  /// The long forms of `-c`; the text may follow behind `=`.
  private static let longFlags = ["--command", "--init-command", "--session-command"]

  private static func isTextFlag(_ word: String) -> Bool {
    guard word.hasPrefix("--") else {
      return word.hasPrefix("-") && word.lowercased().contains("c")
    }
    return longFlags.contains { word == $0 || word.hasPrefix($0 + "=") }
  }

  /// Whether a placeholder is in the text that a shell executes: the first argument behind `-c`
  /// that is not an option, and all after it if that text executes text itself. The shell may be
  /// started by another program, such as env(1). Shells that are started in other ways, and
  /// programs that execute text themselves, are not recognized.
  public var fillsShellText: Bool {
    guard let shell = words.firstIndex(where: Self.isShell),
      let flag = words[shell...].firstIndex(where: Self.isTextFlag)
    else { return false }
    // Each `o` and `O` takes the name of an option.
    var textsLeft = words[flag].contains("=") ? 0 : 1
    for (index, word) in zip(words.indices, words).dropFirst(flag) {
      if word.hasPrefix("-") || word.hasPrefix("+") {
        if !word.hasPrefix("--") { textsLeft += word.count { $0 == "o" || $0 == "O" } }
      } else {
        textsLeft -= 1
      }
      if HookPlaceholder.isIn(word) { return true }
      guard textsLeft <= 0 else { continue }
      return Self.executesText(word) && words[index...].contains(where: HookPlaceholder.isIn)
    }
    return false
  }

  /// Whether the text of a shell makes a shell execute its arguments.
  private static func executesText(_ text: String) -> Bool {
    let words = text.split { $0.isWhitespace || "\"'`;&|(){}".contains($0) }.map(String.init)
    if words.contains("eval") { return true }
    guard let shell = words.firstIndex(where: isShell) else { return false }
    return words[shell...].contains(where: isTextFlag)
  }
}

extension HookCommand {
  /// Splits a text into words at blanks, as a shell does: single quotes keep everything, and a
  /// backslash keeps the next character, within double quotes only a quote or a backslash. Nothing
  /// is expanded.
  ///
  /// - Returns: nil if a quote is not closed.
  public static func words(in text: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var rest = text[...]
    while let next = rest.popFirst() {
      switch (next, quote) {
      case (_, .some(next)): quote = nil
      case ("\\", .none), ("\\", "\""):
        guard let escaped = rest.popFirst() else { return nil }
        let keeps = quote != nil && escaped != "\"" && escaped != "\\"
        word = (word ?? "") + (keeps ? "\\" : "") + String(escaped)
      case ("'", .none), ("\"", .none):
        quote = next
        word = word ?? ""
      case (_, .none) where next.isWhitespace:
        if let word { words.append(word) }
        word = nil
      default: word = (word ?? "") + String(next)
      }
    }
    if quote != nil { return nil }
    return words + (word.map { [$0] } ?? [])
  }
}

extension HookCommand: Codable {
  /// Decodes an array of words. Throws if they are not a command. What is stored stays readable
  /// whatever `fillsShellText` recognizes, so this does not check it.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    switch HookCommand.wellFormed(try container.decode([String].self)) {
    case .success(let command): self = command
    case .failure:
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a command")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(words)
  }
}

/// A text in an argument of a hook that stands for a value: `{path}`.
public enum HookPlaceholder: String, Hashable, Sendable, CaseIterable {
  case event, id, path, url, title, state, session, bytes, error, message, reason

  private var text: String { "{" + rawValue + "}" }

  /// Whether a text contains a placeholder.
  static func isIn(_ text: String) -> Bool {
    allCases.contains { text.contains($0.text) }
  }

  /// Returns the text with the values in place of the placeholders. Other braces stay as they are,
  /// and so do braces within a value.
  public static func fill(_ text: String, _ value: (HookPlaceholder) -> String) -> String {
    var result = ""
    var rest = text[...]
    while let brace = rest.firstIndex(of: "{") {
      result += rest[..<brace]
      rest = rest[brace...]
      let name = rest.dropFirst().prefix { $0 != "}" && $0 != "{" }
      if let placeholder = HookPlaceholder(rawValue: String(name)),
        rest.hasPrefix(placeholder.text)
      {
        result += value(placeholder)
        rest = rest.dropFirst(placeholder.text.count)
      } else {
        result += "{"
        rest = rest.dropFirst()
      }
    }
    return result + rest
  }
}
