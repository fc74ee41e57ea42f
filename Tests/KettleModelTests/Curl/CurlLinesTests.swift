import KettleModel
import SeededNumbers
import Testing

/// Pasted text as lines.
struct CurlLinesTests {
  @Test(arguments: [
    ("http://a/\n\nhttp://b/", ["http://a/", "", "http://b/"]),
    ("curl a ;\ncurl b", ["curl a", "curl b"]),
    ("curl a; curl b && curl c & curl d", ["curl a", "curl b", "curl c", "curl d"]),
    ("curl a \\\n  -L \\\n  -s\nhttp://b/", ["curl a -L -s", "http://b/"]),
    ("curl 'a\nb'\nhttp://c/", ["curl 'a\u{240A}b'", "http://c/"]),
    ("curl 'a\nhttp://b/\nhttp://c/", ["curl 'a", "http://b/", "http://c/"]),
    ("curl \"a\\\n b\" x", ["curl \"a b\" x"]), ("curl a\\\n-L", ["curl a -L"]),
    ("curling is a sport\nx", ["curling is a sport", "x"]),
    ("curl a\n", ["curl a", ""]), ("curl a ^\r\n -L\r\ncurl b", ["curl a -L", "curl b"]),
  ])
  func `commands and other lines are distinguished`(text: String, lines: [String]) {
    #expect(CurlCommandLine.lines(of: text) == lines)
  }

  @Test func `an unclosed quote does not affect the lines after it`() {
    let text = "curl 'x\n" + String(repeating: "curl y \\\n", count: 5000)
    #expect(CurlCommandLine.lines(of: text).count == 5002)
  }

  @Test func `an escaped line break of the command prompt leaves no line break in the line`() {
    #expect(CurlCommandLine.lines(of: "curl ^\n\nhttp://a/") == ["curl \u{240A}http://a/"])
    #expect(CurlCommandLine.lines(of: "curl^\n\r") == ["curl\u{240A}", ""])
  }

  @Test(arguments: ["\n", "\r\n", "\u{2028}"])
  func `an escaped line break in $'' leaves no line break in the line`(lineBreak: String) {
    #expect(CurlCommandLine.lines(of: "curl $'\\\(lineBreak)'") == ["curl $'\\\u{240A}'"])
  }

  @Test(arguments: 0..<40)
  func `any text is parsed, and hidden ranges are inside it`(seed: UInt64) {
    var numbers = SeededGenerator(seed: seed)
    let pieces = [
      "curl", " ", "'", "\"", "\\", "\n", "\r\n", "$'", "^", "^\"", "$", "`", ";", "&", "-H", "-u",
      "--", "-", ":", "=", "@", "http://a:b@c/", "\\u", "\\x4", "\\ud83d", "\u{301}", "\u{0}", "é",
      "-b", "--data", "-o", "/", "🇩🇪", "\\U99999999", "\\777",
    ]
    for _ in 0..<50 {
      var text = "curl "
      for _ in 0..<Int.random(in: 0..<30, using: &numbers) {
        text += pieces.randomElement(using: &numbers) ?? ""
      }
      let lines = CurlCommandLine.lines(of: text)
      #expect(
        !lines.contains { $0.contains(where: \.isNewline) },
        "seed \(seed): \(text.debugDescription)")
      for line in lines + [text] {
        let reading = CurlCommandLine.parse(line)
        let count = line.count
        #expect(
          reading.secrets.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= count },
          "seed \(seed): \(line.debugDescription)")
        if case .success(let command) = reading.result {
          #expect(
            command.headers.allSatisfy { HeaderField(name: $0.name, value: $0.value) == $0 },
            "seed \(seed): \(line.debugDescription)")
        }
      }
    }
  }
}
