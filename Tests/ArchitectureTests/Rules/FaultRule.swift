import Foundation

/// Compares the table of faults with the tests under comments of the form `// Fault N`.
enum FaultRule {
  struct Row: Hashable {
    var number: Int
    var priority: Int
    /// The sentences of the tests; empty when the row has a reason instead.
    var tests: Set<String>
    var reason: String?
    var line: Int
  }

  static let lastFault = 204

  static func rows(in document: SourceText) -> [Row] {
    document.lines.enumerated().compactMap { offset, line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.trimmed }
      guard cells.count == 6, let number = Int(cells[1]), let priority = Int(cells[2]) else {
        return nil
      }
      let names = cells[4].hasPrefix("`") ? quoted(in: cells[4]) : []
      let reason = names.isEmpty && cells[4] != "none" ? cells[4] : nil
      return Row(
        number: number, priority: priority, tests: Set(names), reason: reason, line: offset + 1)
    }
  }

  /// The tests under comments, by the number of the fault.
  static func marked(in files: [SourceText]) -> [Int: Set<String>] {
    var tests: [Int: Set<String>] = [:]
    for file in files where file.path.hasPrefix("Tests/") {
      var waiting: [Int] = []
      for line in file.lines where !waiting.isEmpty || line.utf8.contains(UInt8(ascii: "F")) {
        let text = line.trimmed
        if text.hasPrefix("// Fault ") || text.hasPrefix("// Faults ") {
          waiting += text.split { !$0.isNumber }.compactMap { Int($0) }
        } else if !waiting.isEmpty, let name = nameOfTest(in: text) {
          for number in waiting { tests[number, default: []].insert(name) }
          waiting = []
        }
      }
    }
    return tests
  }

  /// The names of all tests.
  static func names(in files: [SourceText]) -> Set<String> {
    Set(files.filter { $0.path.hasPrefix("Tests/") }.flatMap(\.lines).compactMap(nameOfTest))
  }

  static func findings(rows: [Row], marked: [Int: Set<String>], path: String) -> [Finding] {
    var findings: [Finding] = []
    func complain(_ row: Row?, _ why: String) {
      findings.append(Finding(path: path, line: row?.line ?? 0, why: why))
    }
    for number in 1...lastFault {
      let found = rows.filter { $0.number == number }
      guard let row = found.first, found.count == 1 else {
        complain(found.first, "fault \(number) occurs \(found.count) times")
        continue
      }
      let there = marked[number] ?? []
      for name in row.tests.subtracting(there).sorted() {
        complain(row, "no test \"\(name)\" is under // Fault \(number)")
      }
      for name in there.subtracting(row.tests).sorted() {
        complain(row, "the test \"\(name)\" of fault \(number) is not in the table")
      }
      if row.tests.isEmpty, row.reason == nil, row.priority < 2 {
        complain(row, "fault \(number) has neither a test nor a reason")
      }
    }
    for number in marked.keys.sorted() where !(1...lastFault).contains(number) {
      complain(nil, "there is no fault \(number)")
    }
    return findings
  }

  private static func nameOfTest(in line: some StringProtocol) -> String? {
    guard let start = line.range(of: "func ")?.upperBound else { return nil }
    if line[start...].hasPrefix("`") { return quoted(in: String(line[start...])).first }
    return String(line[start...].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
  }

  /// The texts between pairs of backquotes.
  private static func quoted(in text: String) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
  }
}

extension StringProtocol {
  fileprivate var trimmed: String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}
