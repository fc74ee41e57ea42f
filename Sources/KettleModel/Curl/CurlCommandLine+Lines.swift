extension CurlCommandLine {
  /// Stands for a line break within quotes, where a command is shown as one line.
  package static let breakSign: Character = "\u{240A}"

  /// A text as lines of which each is one command for curl or what else stood in a line: commands
  /// over several lines become one line, and several in a line one each.
  package static func lines(of text: String) -> [String] {
    guard text.contains("curl") else {
      return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        .map(String.init)
    }
    let characters = Array(text)
    var lines: [String] = []
    var start = 0
    // A quote that is never closed would be looked for again from every line.
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
      lines.append(Self.line(characters, start..<words.end, words))
      start = words.end
      // What ended the command is perhaps followed by blanks and the end of the line.
      let next = characters[start...].firstIndex { $0 != " " && $0 != "\t" } ?? characters.count
      if !words.endsWithLine(characters), next < characters.count, characters[next].isNewline {
        start = next + 1
      }
    }
    if text.last?.isNewline == true { lines.append("") }
    return lines
  }

  private static func line(
    _ characters: [Character], _ range: Range<Int>, _ words: CurlWords
  ) -> String {
    var line = Array(characters[range])
    for index in words.quotedBreaks where range.contains(index) {
      line[index - range.lowerBound] = breakSign
    }
    // From the end, so that what is before stays where it is.
    let joints =
      words.continuations.map { ($0, " ") } + words.quotedContinuations.map { ($0, "") }
    for (joint, text) in joints.sorted(by: { $0.0.lowerBound > $1.0.lowerBound }) {
      let start = joint.lowerBound - range.lowerBound
      var end = min(joint.upperBound - range.lowerBound, line.count)
      // The next line begins with blanks for the eyes.
      while !text.isEmpty, end < line.count, line[end] == " " || line[end] == "\t" { end += 1 }
      let isParted = start > 0 && (line[start - 1] == " " || line[start - 1] == "\t")
      line.replaceSubrange(start..<end, with: isParted ? "" : text)
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
