import KettleDashboard

/// Text for an output of which only the locale is known.
struct PlainText {
  private let charset: Charset

  /// Chooses the charset as setlocale(3) reads the environment.
  init(environment: [String: String]) {
    let values = ["LC_ALL", "LC_CTYPE", "LANG"].map { environment[$0] ?? "" }
    let name = values.first { !$0.isEmpty } ?? ""
    let codeset = name.split(separator: ".", maxSplits: 1).dropFirst().first ?? ""
    charset = Charset(codeset: String(codeset.prefix { $0 != "@" }))
  }

  /// Returns the text with characters outside the locale's charset replaced.
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
