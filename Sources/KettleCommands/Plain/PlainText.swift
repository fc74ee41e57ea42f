import KettleDashboard

/// Text for an output of which only its locale is known.
struct PlainText {
  private let charset: Charset

  /// As setlocale(3) reads the environment.
  init(environment: [String: String]) {
    let values = ["LC_ALL", "LC_CTYPE", "LANG"].map { environment[$0] ?? "" }
    let name = values.first { !$0.isEmpty } ?? ""
    let codeset = name.split(separator: ".", maxSplits: 1).dropFirst().first ?? ""
    charset = Charset(codeset: String(codeset.prefix { $0 != "@" }))
  }

  /// The text with what the locale does not have replaced.
  func shown(_ text: String) -> String {
    switch charset {
    case .utf8: return text
    case .ascii:
      return text.unicodeScalars.reduce(into: "") { result, scalar in
        if scalar.isASCII {
          result.unicodeScalars.append(scalar)
        } else {
          result += scalar == "…" ? "..." : "?"
        }
      }
    }
  }
}
