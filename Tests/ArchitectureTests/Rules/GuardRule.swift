/// Holds the list of guards against the sources and the tests: a line that has moved away cannot be
/// taken out any more, and nobody would see that its test notices nothing.
enum GuardRule {
  /// - Parameter line: Gives the lines of a file of the tree; nil when there is none.
  static func findings(
    in list: SourceText, tests: Set<String>, file: (String) -> SourceText?
  ) -> [Finding] {
    var findings: [Finding] = []
    var source: SourceText?
    for (offset, line) in list.lines.enumerated() {
      func complain(_ why: String) {
        findings.append(Finding(path: list.path, line: offset + 1, why: why))
      }
      if let path = value(of: "file   ", in: line) {
        source = file(path)
        if source == nil { complain("there is no \(path)") }
      } else if let old = value(of: "- ", in: line), let source {
        let count = source.lines.count { $0.drop { $0 == " " } == old }
        if count != 1 { complain("the line stands in \(source.path) \(count) times") }
      } else if let test = value(of: "test   ", in: line), !tests.contains(test) {
        complain("there is no test \"\(test)\"")
      }
    }
    return findings
  }

  private static func value(of key: String, in line: some StringProtocol) -> String? {
    line.hasPrefix(key) ? String(line.dropFirst(key.count)) : nil
  }
}
