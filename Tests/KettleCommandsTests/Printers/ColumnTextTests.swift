import Testing

@testable import KettleCommands

struct ColumnTextTests {
  @Test(arguments: [
    ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"),
    ("日本語", 4, "日…"), ("日本語", 1, "…"), ("abc", 0, ""), ("", 0, ""),
    ("e\u{301}te\u{301}s", 3, "e\u{301}t…"),
  ])
  func `text is cut by columns, not characters`(text: String, columns: Int, expected: String) {
    #expect(ColumnText.clipped(text, to: columns) == expected)
    #expect(ColumnText.width(of: ColumnText.clipped(text, to: columns)) <= columns)
  }

  @Test func `padding accounts for wide characters`() {
    #expect(ColumnText.left("日本", 6) == "日本  ")
    #expect(ColumnText.right("日本", 6) == "  日本")
    #expect(ColumnText.left("abcdef", 3) == "abcdef")
  }
}
