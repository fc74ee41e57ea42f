import SeededNumbers
import Testing

@testable import KettleModel

struct DisplayTextTests {
  @Test(arguments: [
    ("plain ä 例 👍🏽", "plain ä 例 👍🏽"),
    ("a\u{1B}[31mb", "a\u{FFFD}[31mb"),
    ("a\nb", "a\u{FFFD}b"), ("a\r\nb", "a\u{FFFD}\u{FFFD}b"), ("a\tb", "a\u{FFFD}b"),
    ("a\u{0}b", "a\u{FFFD}b"), ("a\u{7F}b", "a\u{FFFD}b"), ("a\u{9B}b", "a\u{FFFD}b"),
    ("a\u{202E}fdp.exe", "a\u{FFFD}fdp.exe"), ("a\u{200B}b", "a\u{FFFD}b"),
    ("a\u{2066}b\u{2069}", "a\u{FFFD}b\u{FFFD}"), ("a\u{FEFF}", "a\u{FFFD}"),
    ("\u{E0041}a", "\u{FFFD}a"), ("a\u{2028}b", "a\u{FFFD}b"), ("e\u{301}", "e\u{301}"),
  ])
  func `control and invisible characters are replaced`(text: String, shown: String) {
    let result = text.sanitizedForDisplay()
    #expect(Array(result.unicodeScalars) == Array(shown.unicodeScalars))
  }

  @Test func `a long text is truncated with an ellipsis`() {
    #expect("abcdef".sanitizedForDisplay(limit: 6) == "abcdef")
    #expect("abcdef".sanitizedForDisplay(limit: 5) == "abcde…")
    #expect("abc".sanitizedForDisplay(limit: 0) == "…")
    #expect("".sanitizedForDisplay(limit: 0) == "")
  }

  @Test func `a character with ten thousand combining marks is shortened`() {
    let text = "a" + String(repeating: "\u{301}", count: 10_000)
    #expect(text.sanitizedForDisplay().unicodeScalars.count == 8)
  }

  @Test func `sanitized text stays as it is when sanitized again`() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<1_000 {
      var text = ""
      for _ in 0..<20 {
        let value = UInt32.random(in: 0...0x2100, using: &random)
        if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
      }
      let once = text.sanitizedForDisplay()
      #expect(!once.unicodeScalars.contains { $0.isControl || $0.isInvisible }, "seed \(seed)")
      #expect(once.sanitizedForDisplay() == once, "seed \(seed)")
    }
  }

  @Test(arguments: [
    ("", ""), (" \t\r\n", ""), (" a ", "a"), ("\r\na b\r\n", "a b"), ("\u{A0}a", "\u{A0}a"),
    (" \u{301}a", "\u{301}a"),
  ])
  func `blanks are trimmed at both ends`(text: String, trimmed: String) {
    #expect(Array(text.trimmingBlanks().unicodeScalars) == Array(trimmed.unicodeScalars))
  }
}
