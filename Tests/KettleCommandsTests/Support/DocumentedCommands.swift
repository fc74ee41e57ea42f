/// Finds the command lines of Kettle in a document, and gives names in capitals a value.
enum DocumentedCommands {
  struct Line: Hashable {
    var text: String
    /// Whether it is in a block. A sentence may name a command without what that needs.
    var isComplete: Bool
  }

  /// The lines of blocks, and the code in sentences, that start Kettle.
  static func lines(in document: String) -> [Line] {
    var lines: [Line] = []
    var block: String?
    for line in document.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        block = block == nil ? String(line.dropFirst(3)) : nil
      } else if let kind = block {
        guard kind.isEmpty || kind == "sh", starts(line) else { continue }
        lines.append(Line(text: String(line), isComplete: true))
      } else {
        lines += codeSpans(of: line).filter { $0 == "kettle" || $0.hasPrefix("kettle ") }
          .map { Line(text: $0, isComplete: false) }
      }
    }
    return lines
  }

  /// Whether a line of a block has a command of Kettle. A diagram has none.
  private static func starts(_ line: Substring) -> Bool {
    !line.contains("─") && !commands(of: ShellWords.parts(of: String(line))).isEmpty
  }

  private static func codeSpans(of line: Substring) -> [String] {
    line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { !$0.offset.isMultiple(of: 2) }
      .map { String($0.element).replacing("\\|", with: "|") }
  }

  /// The words after `kettle` of each command of a line; several where a word has alternatives.
  static func arguments(of line: String) -> [[String]] {
    commands(of: ShellWords.parts(of: line)).flatMap(alternatives)
  }

  /// The words after each `kettle`, up to the end of its command.
  private static func commands(of parts: [ShellWords.Part]) -> [[String]] {
    var commands: [[String]] = []
    for words in parts.split(separator: .end) {
      let words = words.compactMap { if case .word(let word) = $0 { word } else { nil } }
      guard let start = words.firstIndex(where: { !precedesCommand($0) }), words[start] == "kettle"
      else { continue }
      commands.append(Array(words[(start + 1)...]))
    }
    return commands
  }

  /// Whether a word may stand before a command: a prompt, a variable, or the time of cron(8).
  private static func precedesCommand(_ word: String) -> Bool {
    word == "$" || word.contains("=") || word.allSatisfy { $0.isNumber || $0 == "*" }
  }

  private static let values = [
    "ADDRESS:PORT": "127.0.0.1:7000", "COMMAND": "list", "FILE": "/tmp/a", "HEX": digest,
    "HOST": "example.org", "ID": "1", "KEY": "limits.rate", "MIRROR": "https://b.example/a",
    "N": "1", "NAME": "name", "NUMBER": "1", "PATH": "/tmp/a", "PORT": "8018", "RATE": "1M",
    "SHELL": "bash", "SOURCE": "hf://org/model", "TIME": "1d", "URL": "https://example.org/a",
    "URL/": "https://example.org/a/", "URL1": "https://a.example/a", "URL2": "https://b.example/a",
    "VALUE": "1M", "none": "none", "{id}": "1",
  ]

  private static let digest = String(repeating: "a1", count: 32)

  /// Replaces names in capitals. `ID|PATH` stands for two command lines.
  private static func alternatives(_ words: [String]) -> [[String]] {
    words.reduce([[]]) { lines, word in
      let choices = word.split(separator: "|").map(String.init)
      let isChoice = choices.count > 1 && choices.allSatisfy { values[$0] != nil }
      return lines.flatMap { line in
        (isChoice ? choices : [word]).map { line + [value(of: $0)] }
      }
    }
  }

  private static func value(of word: String) -> String {
    var name = word
    while let ending = ["...", "…", "]"].first(where: name.hasSuffix) {
      name = String(name.dropLast(ending.count))
    }
    name = String(name.drop { $0 == "[" })
    if let value = values[name] { return value }
    return name.replacing("sha256:HEX", with: "sha256:" + digest)
      .replacing("sha256:…", with: "sha256:" + digest)
      .replacing("ADDRESS:PORT", with: "127.0.0.1:7000")
  }
}

/// The words of a line as a shell reads it, as far as the documents need.
enum ShellWords {
  enum Part: Hashable {
    case word(String)
    /// The end of a command.
    case end
  }

  static func parts(of line: String) -> [Part] {
    var parts: [Part] = []
    var word: String?
    var quote: Character?
    func finish() {
      if let done = word { parts.append(.word(done)) }
      word = nil
    }
    for character in line {
      if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
        continue
      }
      switch character {
      case "'", "\"":
        quote = character
        word = word ?? ""
      case " ": finish()
      case "#" where word == nil: return parts
      case "(" where word?.last == "$":
        // What the command in it prints is an id.
        word = word.map { $0.dropLast() + "1" }
        finish()
        parts.append(.end)
      case ";", "&", "(", ")", "<", ">":
        finish()
        parts.append(.end)
      // Between words it ends a command; in a word it stands between alternatives.
      case "|" where word == nil: parts.append(.end)
      default: word = (word ?? "") + String(character)
      }
    }
    finish()
    return parts
  }
}
