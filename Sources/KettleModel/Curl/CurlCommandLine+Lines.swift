extension CurlCommandLine {
  /// Replaces a line break inside quotes when a command is displayed on one line.
  package static let breakSign: Character = "\u{240A}"

  /// Splits a text into lines. A curl command that spans several lines becomes one line, and
  /// several commands on one line become one line each.
  package static func lines(of text: String) -> [String] {
    guard text.contains("curl") else {
      return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        .map(String.init)
    }
    let characters = Array(text)
    var lines: [String] = []
    var start = 0
    // False after an unclosed quote, which would otherwise be searched again from every line.
    var joins = true
    while start < characters.count {
      let lineEnd = characters[start...].firstIndex(where: \.isNewline) ?? characters.count
      let line = characters[start..<lineEnd]
      guard isCommand(line), joins else {
        lines.append(String(line))
        start = lineEnd + 1
        continue
      }
      let words = CurlWords(characters, from: start)
      guard words.isClosed else {
        joins = false
        continue
      }
      lines.append(Self.line(words, in: characters[start..<words.end]))
      start = words.end
      // Skip blanks and the line end after the command's terminator.
      let next = characters[start...].firstIndex { $0 != " " && $0 != "\t" } ?? characters.count
      if !words.endsWithLine(characters), next < characters.count, characters[next].isNewline {
        start = next + 1
      }
    }
    if text.last?.isNewline == true { lines.append("") }
    return lines
  }

  /// Joins the lines of one command.
  private static func line(_ words: CurlWords, in command: ArraySlice<Character>) -> String {
    var line = Array(command)
    for index in words.quotedBreaks where command.indices.contains(index) {
      line[index - command.startIndex] = breakSign
    }
    // From the end, so that the earlier indices stay valid.
    let joints =
      words.continuations.map { ($0, " ") } + words.quotedContinuations.map { ($0, "") }
    for (joint, text) in joints.sorted(by: { $0.0.lowerBound > $1.0.lowerBound }) {
      let start = joint.lowerBound - command.startIndex
      var end = min(joint.upperBound - command.startIndex, line.count)
      // Drop the indentation of the next line.
      while !text.isEmpty, end < line.count, line[end] == " " || line[end] == "\t" { end += 1 }
      let isSeparated = start > 0 && (line[start - 1] == " " || line[start - 1] == "\t")
      line.replaceSubrange(start..<end, with: isSeparated ? "" : text)
    }
    while let last = line.last, last.isNewline || " \t;&".contains(last) { line.removeLast() }
    return String(line.drop { $0 == " " || $0 == "\t" })
  }
}

extension CurlWords {
  fileprivate func endsWithLine(_ characters: [Character]) -> Bool {
    end > 0 && end <= characters.count && characters[end - 1].isNewline
  }
}
