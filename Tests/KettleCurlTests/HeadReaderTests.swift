import KettleModel
import SeededNumbers
import Testing

@testable import KettleCurl

struct HeadReaderTests {
  /// Feeds the lines and returns the last result.
  private func read(_ lines: [String]) -> HeadReader.Progress {
    read(lines.map { Array($0.utf8) })
  }

  private func read(_ lines: [[UInt8]]) -> HeadReader.Progress {
    var reader = HeadReader()
    return lines.reduce(.more) { _, line in reader.read(line) }
  }

  private func head(_ status: Int, _ fields: (String, String)...) -> ResponseHead {
    ResponseHead(status: status, headers: fields.map { HeaderField(received: $0.0, $0.1) })
  }

  @Test func `names and values are kept in order, without the blanks around values`() {
    #expect(
      read(["HTTP/1.1 206 Partial\r\n", "A:1\r\n", "b: \t two words \t\r\n", "A:\r\n", "\r\n"])
        == .final(head(206, ("A", "1"), ("b", "two words"), ("A", ""))))
  }

  @Test func `lines may end in a bare line feed`() {
    #expect(read(["HTTP/1.0 200\n", "A: 1\n", "\n"]) == .final(head(200, ("A", "1"))))
  }

  @Test func `a folded line continues the value`() {
    #expect(
      read(["HTTP/1.1 200 OK\r\n", "A: one\r\n", "  two\r\n", "\tthree\r\n", "\r\n"])
        == .final(head(200, ("A", "one two three"))))
  }

  @Test func `a head cannot begin with a folded line`() {
    #expect(
      read(["HTTP/1.1 200 OK\r\n", " A: one\r\n"])
        == .broken("its first header line is folded"))
  }

  @Test func `bytes that are not UTF-8 become one character each`() {
    let lines = [Array("HTTP/1.1 200 OK\r\n".utf8), [65, 58, 0xE9, 0x80, 13, 10], [13, 10]]
    #expect(read(lines) == .final(head(200, ("A", "\u{E9}\u{80}"))))
  }

  @Test func `UTF-8 stays UTF-8`() {
    #expect(read(["HTTP/1.1 200 OK\r\n", "A: né\r\n", "\r\n"]) == .final(head(200, ("A", "né"))))
  }

  @Test func `a line that is not a header is skipped`() {
    #expect(
      read(["HTTP/1.1 200 OK\r\n", "no colon\r\n", "A : 1\r\n", ": 2\r\n", "B: 3\r\n", "\r\n"])
        == .final(head(200, ("B", "3"))))
  }

  @Test func `a 401 is held back until another head arrives`() {
    var reader = HeadReader()
    for line in ["HTTP/1.1 401 No\r\n", "A: 1\r\n"] { _ = reader.read(Array(line.utf8)) }
    #expect(reader.read([13, 10]) == .finalUnlessAnswered(head(401, ("A", "1"))))
    #expect(reader.heldBackHead == head(401, ("A", "1")))
    #expect(!reader.isInsideHead)
    _ = reader.read(Array("HTTP/1.1 200 OK\r\n".utf8))
    #expect(reader.heldBackHead == nil)
    #expect(reader.isInsideHead)
    #expect(reader.read([13, 10]) == .final(head(200)))
  }

  @Test(arguments: [
    "HTTP/1.1\r\n", "HTTP/1.1 20 OK\r\n", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1 +20\r\n",
    "HTTP/1.1 012\r\n",
  ])
  func `a status line without a status is refused`(line: String) {
    #expect(read([line]) == .broken("its status line is malformed"))
  }

  @Test func `a broken decoder stays broken`() {
    #expect(
      read(["nonsense\r\n", "HTTP/1.1 200 OK\r\n", "\r\n"])
        == .broken("it does not begin with a status line"))
  }

  // Fault 57
  @Test func `the limits are exact to the line and the byte`() {
    let fields = Array(repeating: "A: 1\r\n", count: HeadReader.lineCountMax - 2)
    #expect(read(["HTTP/1.1 200 OK\r\n"] + fields) == .more)
    #expect(
      read(["HTTP/1.1 200 OK\r\n"] + fields + ["A: 1\r\n", "\r\n"])
        == .broken("it has more than 500 header lines"))
    let start = "HTTP/1.1 200 OK\r\n"
    let room = HeadReader.byteCountMax - start.utf8.count - 2
    let full = "A:" + String(repeating: "a", count: room - 4) + "\r\n"
    if case .final(let head) = read([start, full, "\r\n"]) {
      #expect(head.headers.first?.value.utf8.count == room - 4)
    } else {
      Issue.record("a head of exactly the most bytes was refused")
    }
    #expect(read([start, "A" + full, "\r\n"]) == .broken("its headers are longer than 256 KiB"))
  }

  @Test func `any bytes in any lines are parsed safely`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    let pieces = ["HTTP/1.1 ", "200", "401", "100", " ", "\r", "\n", ":", "A", "\t", "\0", "é"]
    for _ in 0..<20_000 {
      var reader = HeadReader()
      for _ in 0..<8 {
        let text = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
          pieces.randomElement(using: &generator) ?? ""
        }.joined()
        if case .final(let head) = reader.read(Array(text.utf8)) {
          #expect(
            head.headers.allSatisfy { HeaderField(name: $0.name, value: $0.value) != nil },
            "seed \(seed)")
        }
      }
    }
  }
}
