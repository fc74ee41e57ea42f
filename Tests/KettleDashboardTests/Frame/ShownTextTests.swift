import KettleDashboard
import Testing

struct ShownTextTests {
  private func shown(_ text: String, columns: Int, _ charset: Charset = .utf8) -> String {
    ShownText(text, charset: charset, columnsMax: columns).glyphs.map(\.text).joined()
  }

  @Test func `text that fits is unchanged`() {
    #expect(shown("abc", columns: 3) == "abc")
    #expect(shown("文件", columns: 4) == "文件")
    #expect(shown("", columns: 3) == "")
  }

  @Test func `truncated text ends with a mark and never splits a character`() {
    #expect(shown("abcd", columns: 3) == "ab…")
    #expect(shown("文件传", columns: 5) == "文件…")
    #expect(shown("文件传", columns: 4) == "文…")
    #expect(shown("文件", columns: 1) == "…")
    #expect(shown("abcd", columns: 3, .ascii) == "ab~")
    #expect(shown("abc", columns: 0) == "")
  }

  @Test func `a character keeps at most three combining marks`() {
    let text = "e" + String(repeating: "\u{0301}", count: 20) + "x"
    let glyphs = ShownText(text, charset: .utf8, columnsMax: 10).glyphs
    #expect(glyphs.map(\.width) == [1, 1])
    #expect(glyphs[0].text.unicodeScalars.count == 4)
  }

  @Test func `a combining mark without a base character is dropped`() {
    #expect(shown("\u{0301}a", columns: 5) == "a")
  }

  @Test func `characters of ambiguous width are replaced`() {
    #expect(shown("✔\u{FE0F}a", columns: 5) == "✔a")
    #expect(shown("👍🏽a", columns: 5) == "👍a")
    #expect(ShownText("🇩🇪", charset: .utf8, columnsMax: 9).columns == 2)
  }

  @Test func `control and bidirectional characters are replaced with visible ones`() {
    #expect(
      shown("a\u{1B}[31mb\r\n\u{202E}c", columns: 20) == "a\u{FFFD}[31mb\u{FFFD}\u{FFFD}\u{FFFD}c")
    #expect(shown("a\u{7}b", columns: 9, .ascii) == "a?b")
  }

  // Fault 132
  @Test func `ASCII replaces other characters with a question mark`() {
    #expect(shown("Größe 文件", columns: 20, .ascii) == "Gr??e ??")
    #expect(shown("wait…", columns: 20, .ascii) == "wait...")
  }

  /// Its fonts have letters, but not all of them `…`, and it draws combining marks separately.
  @Test func `the console gets letters without combining marks`() {
    #expect(shown("Größe…", columns: 20, .console) == "Größe...")
    #expect(shown("e\u{0301}x", columns: 20, .console) == "ex")
    #expect(shown("Größen", columns: 5, .console) == "Größ~")
  }
}
