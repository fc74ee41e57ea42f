import Commands
import Testing
import TransferModel

struct URLListTests {
  private func read(_ text: String) -> URLList { URLList(Array(text.utf8), name: "urls.txt") }

  @Test func `comments, blank lines, indents and line ends of other systems are no matter`() {
    let list = read(
      "\u{FEFF}# a list\r\n\r\n  https://example.org/a\t\r\n\n \t# more\nhttps://example.org/b#part"
    )
    #expect(list.urls.map(\.url.text) == ["https://example.org/a", "https://example.org/b"])
    #expect(list.problems.isEmpty)
  }

  @Test func `a login in a URL is taken out of it`() {
    let list = read("https://anna:s3cret@example.org/a\n")
    #expect(list.urls.map(\.url.text) == ["https://example.org/a"])
    #expect(list.urls.map(\.login) == [Login(user: "anna", password: "s3cret")])
  }

  @Test func `each bad line is named by its number`() {
    let list = read("https://example.org/a\n\nexample.org/b\nftp://example.org/c\n")
    #expect(
      list.problems == [
        .list(.line(3, "example.org/b", .schemeMissing), name: "urls.txt"),
        .list(.line(4, "ftp://example.org/c", .schemeUnsupported("ftp")), name: "urls.txt"),
      ])
  }

  @Test func `after twenty bad lines the rest is counted`() {
    let list = read(String(repeating: "x\n", count: 23))
    #expect(list.problems.count == 21)
    #expect(list.problems.last == .list(.moreLines(3), name: "urls.txt"))
  }

  @Test func `bytes that are no text are named, not guessed`() {
    let list = URLList(Array("https://example.org/".utf8) + [0xFF, 0x0A], name: "-")
    #expect(list.problems == [.list(.lineNotText(1), name: "-")])
  }

  @Test(arguments: ["", "\n\n", "# only a comment", "\u{FEFF}"])
  func `a list without a URL is a mistake`(text: String) {
    #expect(read(text).problems == [.list(.empty, name: "urls.txt")])
  }
}
