import KettleCommands
import KettleModel
import Testing

struct URLListTests {
  /// Reads the text in pieces of so many bytes.
  private func read(_ text: String, by count: Int) -> URLList {
    var list = URLList(name: "urls.txt")
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: count) {
      list.read(bytes.span.extracting(start..<min(start + count, bytes.count)))
    }
    list.end()
    return list
  }

  private func urls(_ list: URLList) -> [TransferURL.Parsed] { list.batches.flatMap { $0 } }

  private func read(_ text: String) -> URLList { URLList(Array(text.utf8), name: "urls.txt") }

  @Test func `comments, blank lines, indentation and line ending styles are ignored`() {
    let list = read(
      "\u{FEFF}# a list\r\n\r\n  https://example.org/a\t\r\n\n \t# more\nhttps://example.org/b#part"
    )
    #expect(urls(list).map(\.url.text) == ["https://example.org/a", "https://example.org/b"])
    #expect(list.problems.isEmpty)
  }

  @Test func `a login is removed from its URL`() {
    let list = read("https://anna:s3cret@example.org/a\n")
    #expect(urls(list).map(\.url.text) == ["https://example.org/a"])
    #expect(urls(list).map(\.login) == [Login(user: "anna", password: "s3cret")])
  }

  @Test func `each invalid line is reported with its number`() {
    let list = read("https://example.org/a\n\nexample.org/b\nnfs://example.org/c\n")
    #expect(
      list.problems == [
        .list(.line(3, "example.org/b", .schemeMissing), name: "urls.txt"),
        .list(.line(4, "nfs://example.org/c", .schemeUnsupported("nfs")), name: "urls.txt"),
      ])
  }

  @Test func `after twenty invalid lines the remaining ones are counted`() {
    let list = read(String(repeating: "x\n", count: 23))
    #expect(list.problems.count == 21)
    #expect(list.problems.last == .list(.moreLines(3, isAll: true), name: "urls.txt"))
  }

  @Test func `reading stops after a thousand invalid lines`() {
    var list = URLList(name: "/dev/urandom")
    let lines = Array(String(repeating: "x\n", count: 999).utf8)
    var answers: [Bool] = []
    for _ in 0..<3 { answers.append(list.read(lines.span)) }
    list.end()
    #expect(answers == [true, false, false])
    #expect(list.problems.last == .list(.moreLines(980, isAll: false), name: "/dev/urandom"))
  }

  @Test func `bytes that are not UTF-8 are reported`() {
    let list = URLList(Array("https://example.org/".utf8) + [0xFF, 0x0A], name: "-")
    #expect(list.problems == [.list(.lineNotText(1), name: "-")])
  }

  @Test(arguments: ["", "\n\n", "# only a comment", "\u{FEFF}"])
  func `a list without a URL is an error`(text: String) {
    #expect(read(text).problems == [.list(.empty, name: "urls.txt")])
  }

  @Test(arguments: [1, 2, 3, 7, 64])
  func `the input may be split anywhere`(count: Int) {
    let text = "\u{FEFF}# a list\r\nhttps://u:p@example.org/ü\r\n\nnope\nHTTPS://B.example"
    let list = read(text, by: count)
    #expect(
      urls(list).map(\.url.text) == ["https://example.org/%C3%BC", "https://b.example/"])
    #expect(urls(list).map(\.login) == [Login(user: "u", password: "p"), nil])
    #expect(list.problems == [.list(.line(4, "nope", .schemeMissing), name: "urls.txt")])
    #expect(list.count == 2)
  }

  @Test(arguments: [100, 10_000, 1 << 20])
  func `nothing is read after a line that is too long`(count: Int) {
    let line = String(repeating: "x", count: 3 * URLList.lineByteCountMax)
    let list = read("https://example.org/a\n" + line + "\nnope\n", by: count)
    #expect(list.problems == [.list(.lineTooLong(2), name: "urls.txt")])
    #expect(urls(list).map(\.url.path) == ["/a"])
  }

  @Test func `no more input is requested after a line that is too long`() {
    var list = URLList(name: "urls.txt")
    let zeros = [UInt8](repeating: 0, count: URLList.lineByteCountMax)
    let wantsMore = [zeros, zeros, Array("\nhttps://example.org/a\n".utf8)].map {
      list.read($0.span)
    }
    #expect(wantsMore == [true, false, false])
    list.end()
    #expect(list.problems == [.list(.lineTooLong(1), name: "urls.txt")])
  }

  @Test func `a long list is split into batches bounded in count and bytes`() {
    let many = (1...2500).map { "https://example.org/\($0)" }.joined(separator: "\n")
    #expect(read(many).batches.map(\.count) == [1000, 1000, 500])
    let long = "https://example.org/" + String(repeating: "x", count: 15_000) + "\n"
    let batches = Array(read(String(repeating: long, count: 100)).batches)
    #expect(batches.map(\.count).reduce(0, +) == 100)
    #expect(batches.allSatisfy { $0.count <= 17 })
  }
}
