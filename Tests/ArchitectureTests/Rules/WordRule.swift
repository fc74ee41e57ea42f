/// Finds notes about postponed work, vague names, and paths that exist only on one machine.
enum WordRule {
  /// Split, so that this file does not contain them itself.
  static let postponed = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
  static let foreign = ["/wor" + "k/", ".libr" + "ary/", "far" + "m-"]
  static let vagueNames = ["Utils", "Helpers", "Manager"]

  static func findings(in file: SourceText) -> [Finding] {
    var findings: [Finding] = []
    let name = file.folders.last ?? ""
    for vague in vagueNames where name.contains(vague) {
      findings.append(
        Finding(path: file.path, line: 0, why: "\"\(vague)\" in a name is vague"))
    }
    for (offset, line) in file.lines.enumerated() {
      for word in postponed where contains(line, word, endsWord: true) {
        findings.append(
          Finding(path: file.path, line: offset + 1, why: "finish it or leave it out"))
      }
      for word in foreign where contains(line, word, endsWord: false) {
        findings.append(
          Finding(path: file.path, line: offset + 1, why: "\"\(word)\" exists only on one machine"))
      }
    }
    return findings
  }

  /// Whether `word` occurs in the line with no letter or digit before it, and, if `endsWord`, none
  /// after it.
  private static func contains(_ line: String, _ word: String, endsWord: Bool) -> Bool {
    let bytes = Array(line.utf8)
    guard bytes.contains(text: word) else { return false }
    let word = Array(word.utf8)
    for start in 0...(bytes.count - word.count)
    where bytes[start] == word[0] && bytes[start...].starts(with: word) {
      if start > 0, isWordByte(bytes[start - 1]) { continue }
      let end = start + word.count
      if endsWord, end < bytes.count, isWordByte(bytes[end]) { continue }
      return true
    }
    return false
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95
  }
}
