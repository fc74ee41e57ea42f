import KettleDashboard

/// Text for an output of which only the locale is known.
struct PlainText {
  private let charset: Charset

  init(environment: [String: String]) { charset = Charset(environment: environment) }

  /// Returns the text with characters outside the locale's charset replaced.
  func shown(_ text: String) -> String {
    switch charset {
    case .utf8, .console: return text
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
