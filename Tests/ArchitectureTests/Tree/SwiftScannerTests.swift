import Testing

struct SwiftScannerTests {
  private func code(_ text: String) -> String {
    let file = SourceText(path: "Sources/A/B.swift", text: text)
    return file.code.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
  }

  @Test func `comments and the contents of strings are not code`() {
    #expect(code("a // b\nc") == "a     \nc")
    #expect(code("a /* b /* c */ d */ e") == "a                   e")
    #expect(code("a \"b // c\" d") == "a \"      \" d")
    #expect(code("a \"b\\\" c\" d") == "a \"     \" d")
    #expect(code("a #\"b \" c\"# d") == "a #\"     \"# d")
    #expect(code("`a b!` c") == "       c")
  }

  @Test func `interpolated code is code`() {
    #expect(code("\"a \\(b(c) + \"d\") e\" f") == "\"    b(c) + \" \")  \" f")
    #expect(code("#\"a \\(b) \\#(c) d\"# e") == "#\"          c)  \"# e")
  }

  @Test func `a multi-line string keeps its lines`() {
    #expect(code("a \"\"\"\n b \" c\n \\(d)\n \"\"\" e") == "a \"\"\"\n      \n   d)\n \"\"\" e")
    #expect(code("a \"\"\"\n b \\\n c\n\"\"\" d") == "a \"\"\"\n    \n  \n\"\"\" d")
  }

  @Test func `an unterminated string ends with its line`() {
    #expect(code("a \"b\nc") == "a \" \nc")
    #expect(code("a \"\\") == "a \" ")
  }

  @Test func `lines with comments and strings are recorded`() {
    let file = SourceText(path: "Sources/A/B.swift", text: "a\n// b\n\"c\"\n/* d\n e */\nf")
    #expect(file.linesWithComment == [1, 3, 4])
    #expect(file.linesWithString == [2])
  }
}
