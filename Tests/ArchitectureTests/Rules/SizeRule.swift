/// Finds files, functions and lines that are too long.
enum SizeRule {
  static let fileLinesMax = 600
  static let functionLinesMax = 70
  static let columnsMax = 100

  static func findings(in file: SourceText) -> [Finding] {
    var findings: [Finding] = []
    if file.lineCount > fileLinesMax {
      findings.append(
        Finding(path: file.path, line: 0, why: "\(file.lineCount) lines, \(fileLinesMax) allowed"))
    }
    // A line with a string in it may be long: a sentence is easier to find in one piece.
    for (offset, line) in file.lines.enumerated()
    where line.utf8.count > columnsMax && !file.linesWithString.contains(offset) {
      if line.count > columnsMax {
        findings.append(
          Finding(path: file.path, line: offset + 1, why: "\(line.count) columns"))
      }
    }
    for function in FunctionScanner(file).functions where function.lineCount > functionLinesMax {
      findings.append(
        Finding(
          path: file.path, line: function.line,
          why: "a function of \(function.lineCount) lines, \(functionLinesMax) allowed"))
    }
    return findings
  }
}
