import ArgumentParser
import FoundationEssentials
import KettleModel
import KettleSystem

/// The source of a manual page, written with mdoc(7) macros.
struct ManualSource {
  private(set) var lines: [String] = []

  /// - Parameter date: the first ten characters of an ISO 8601 date.
  init(title: String, section: Int, date: String, version: String) {
    macro("Dd", Self.longDate(date))
    macro("Dt", "\(title.uppercased()) \(section)")
    macro("Os", "Kettle \(version)")
  }

  /// One line, with the newline at its end.
  var text: String { lines.joined(separator: "\n") + "\n" }

  /// The words are escaped, so that none of them is taken for a macro's delimiter.
  mutating func macro(_ name: String, _ words: String = "") {
    lines.append(words.isEmpty ? "." + name : ".\(name) " + Self.escaped(words, isInMacro: true))
  }

  mutating func section(_ title: String) { macro("Sh", title) }

  /// Text to be filled, one sentence per line.
  mutating func prose(_ text: String) {
    for sentence in Self.sentences(in: text) {
      let escaped = Self.escaped(sentence, isInMacro: false)
      // A line that begins so would be a macro.
      lines.append((escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" : "") + escaped)
    }
  }

  /// Paragraphs with a blank line between them. Indented lines are set as they are.
  mutating func paragraphs(_ text: String) {
    var isFirst = true
    var example: [Substring] = []
    var filled: [Substring] = []
    func flush(into source: inout ManualSource) {
      if !filled.isEmpty {
        if !isFirst { source.macro("Pp") }
        source.prose(filled.joined(separator: " "))
      }
      if !example.isEmpty { source.literal(example.map { String($0.dropFirst(2)) }) }
      if !filled.isEmpty || !example.isEmpty { isFirst = false }
      filled = []
      example = []
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("  ") {
        example.append(line)
      } else {
        if line.isEmpty || !example.isEmpty { flush(into: &self) }
        if !line.isEmpty { filled.append(line) }
      }
    }
    flush(into: &self)
  }

  mutating func literal(_ text: [String]) {
    macro("Bd", "-literal -offset indent")
    for line in text {
      let escaped = Self.escaped(line, isInMacro: false)
      lines.append((escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" : "") + escaped)
    }
    macro("Ed")
  }

  /// A list of terms, each with a text. A term is the words of the macro `It`.
  mutating func list(_ items: [(term: String, text: String)]) {
    guard !items.isEmpty else { return }
    macro("Bl", "-tag -width Ds")
    for item in items {
      lines.append(".It " + item.term)
      prose(item.text)
    }
    macro("El")
  }

  /// A line of a usage, in which `<name>` stands for a value.
  mutating func usage(_ line: String) {
    var words = line.split(separator: " ").map(String.init)[...]
    guard let program = words.popFirst() else { return }
    macro("Nm", program)
    let rest = Self.escaped(words.joined(separator: " "), isInMacro: false)
      .replacing("<", with: "\\fI").replacing(">", with: "\\fR")
    if !rest.isEmpty { lines.append(rest) }
  }

  /// References to other pages, with commas between them.
  mutating func references(_ pages: [(name: String, section: Int)]) {
    for (index, page) in pages.enumerated() {
      macro("Xr", "\(page.name) \(page.section)\(index + 1 < pages.count ? " ," : "")")
    }
  }

  /// The term of an option for `list`.
  static func term(names: [String], value: String?) -> String {
    let names = names.map { "Fl " + escaped(String($0.dropFirst()), isInMacro: true) }
    let value = value.map { " Ar " + escaped($0, isInMacro: true) } ?? ""
    return names.joined(separator: " , ") + value
  }

  /// - Parameter isInMacro: whether double quotes hold words together.
  static func escaped(_ text: String, isInMacro: Bool) -> String {
    let text = text.replacing("\\", with: "\\e")
    guard isInMacro else { return text.replacing("-", with: "\\-") }
    return text.replacing("\"", with: "\\(dq")
  }

  /// Splits the text after each full stop that ends a sentence, as mdoc(7) wants it.
  static func sentences(in text: String) -> [String] {
    var sentences: [String] = []
    var current = ""
    for word in text.split(separator: " ") {
      current += (current.isEmpty ? "" : " ") + word
      if ".!?".contains(where: { word.hasSuffix(String($0)) || word.hasSuffix("\($0)\"") }) {
        sentences.append(current)
        current = ""
      }
    }
    return current.isEmpty ? sentences : sentences + [current]
  }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]

  private static func longDate(_ date: String) -> String {
    let parts = date.split(separator: "-").compactMap { Int($0) }
    guard parts.count == 3, months.indices.contains(parts[1] - 1) else { return date }
    return "\(months[parts[1] - 1]) \(parts[2]), \(parts[0])"
  }
}

/// `kettle manual`: writes the manual pages that have the text of `--help`.
struct ManualCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual", abstract: "Write the manual pages into a directory.",
    shouldDisplay: false)

  static let isForThisMachineOnly = true

  @Argument(
    help: ArgumentHelp("The directory, created if missing.", valueName: "dir"),
    completion: .directory)
  var directory: String

  func run(in context: CommandContext) async throws -> ExitCode {
    let date = String(Self.date(in: context).iso8601.prefix(10))
    let pages = try CommandPages(date: date).all + [ConfigurationPage.page(date: date)]
    let parent = try context.currentDirectory.absolute(directory)
    do {
      try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
      for page in pages {
        try FileReplacement.write(
          Array(page.text.utf8), to: parent + "/" + page.fileName, mode: 0o644)
      }
    } catch {
      context.console.printError(Sentences.manualUnwritable(directory))
      return .transferFailed
    }
    return .done
  }

  /// Builds that give the same bytes set the time of their sources in this variable
  /// (reproducible-builds.org, SOURCE_DATE_EPOCH).
  private static func date(in context: CommandContext) -> WallTime {
    guard let text = context.environment["SOURCE_DATE_EPOCH"], let seconds = Int64(text),
      (0...253_402_300_799).contains(seconds)
    else { return context.clock.now().wall }
    return WallTime(millisecondsSince1970: seconds * 1000)
  }
}

extension Sentences {
  static func manualUnwritable(_ directory: String) -> String {
    "The manual pages could not be written into \(quoted(directory)); name another directory"
  }
}
