import KettleDashboard

extension CommandContext {
  /// Returns how to draw on a stream.
  func look(of stream: ConsoleStream) -> Look {
    Look(
      isTerminal: console.isTerminal(stream), environment: environment, isASCII: isASCII)
  }
}

extension Look {
  /// The look of the dashboard in the terminal's own sixteen colours. There are none without a
  /// terminal, on one of unknown abilities (TERM), and with NO_COLOR.
  init(isTerminal: Bool, environment: [String: String], isASCII: Bool = false) {
    let isDumb = ["", "dumb"].contains(environment["TERM"] ?? "")
    self.init(
      charset: isASCII || isDumb ? .ascii : Charset(environment: environment),
      colors: ColorDepth(
        noColor: environment["NO_COLOR"], colorCount: isTerminal && !isDumb ? 16 : 0,
        isDirect: false))
  }

  /// Returns the text with the sequences that set the style of a role and end it.
  func painted(_ text: String, _ role: Role) -> String {
    let style = style(role)
    guard colors != .none, style != .plain else { return text }
    return style.selection + text + Style.plain.selection
  }
}

extension Charset {
  /// Chooses the charset as setlocale(3) reads the environment.
  init(environment: [String: String]) {
    let values = ["LC_ALL", "LC_CTYPE", "LANG"].map { environment[$0] ?? "" }
    let name = values.first { !$0.isEmpty } ?? ""
    let codeset = name.split(separator: ".", maxSplits: 1).dropFirst().first ?? ""
    self.init(codeset: String(codeset.prefix { $0 != "@" }))
  }
}
