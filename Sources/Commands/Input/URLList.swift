import TransferModel

/// A list of URLs as `-i` reads it: one a line; blank lines and lines that start with `#` are
/// skipped.
package struct URLList {
  package var urls: [TransferURL.Parsed] = []
  package var problems: [UsageProblem] = []

  /// How many bad lines are named one by one; a file that is no list at all has thousands.
  package static let namedProblemCountMax = 20

  /// `name` is how the list is called in a complaint.
  package init(_ bytes: [UInt8], name: String) {
    var bytes = bytes[...]
    // Editors on other systems start a text file with a byte order mark.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    var problemCount = 0
    let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      guard let problem = read(line, number: index + 1, name: name) else { continue }
      problemCount += 1
      if problemCount <= Self.namedProblemCountMax { problems.append(problem) }
    }
    if problemCount > Self.namedProblemCountMax {
      problems.append(
        .list(.moreLines(problemCount - Self.namedProblemCountMax), name: name))
    }
    if urls.isEmpty, problems.isEmpty { problems.append(.list(.empty, name: name)) }
  }

  private mutating func read(
    _ line: ArraySlice<UInt8>, number: Int, name: String
  ) -> UsageProblem? {
    let isBlank: (UInt8) -> Bool = { $0 == 32 || $0 == 9 || $0 == 13 }
    guard let first = line.first(where: { !isBlank($0) }), first != UInt8(ascii: "#") else {
      return nil
    }
    guard let text = String(validating: line, as: UTF8.self) else {
      return .list(.lineNotText(number), name: name)
    }
    switch TransferURL.parse(text) {
    case .success(let parsed):
      urls.append(parsed)
      return nil
    case .failure(let problem):
      let trimmed = text.drop { $0 == " " || $0 == "\t" }
      return .list(.line(number, String(trimmed), problem), name: name)
    }
  }
}
