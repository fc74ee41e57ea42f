/// Compares the list of guards with the sources and the tests. A guard whose line has changed could
/// no longer be mutated, so its test would prove nothing.
enum GuardRule {
  /// - Parameter file: Returns a file of the tree; nil if there is none.
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
        if count != 1 { complain("the line occurs \(count) times in \(source.path)") }
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
