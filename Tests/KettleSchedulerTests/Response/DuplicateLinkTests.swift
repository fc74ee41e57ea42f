import KettleModel
import KettleScheduler
import Testing

/// Copies of a file that a response names (RFC 6249).
struct DuplicateLinkTests {
  private func links(_ values: String..., of text: String = "http://a.example/d/f.iso") -> [String]
  {
    let headers = values.map { HeaderField(received: "Link", $0) }
    return ResponseHead(status: 200, headers: headers)
      .duplicateLinks(of: url(text), countMax: 4).map(\.text)
  }

  @Test func `duplicates are sorted by priority`() {
    let found = links(
      "<http://c.example/f>; rel=duplicate; pri=2; geo=gb, <http://b.example/f>; pri=1; "
        + "rel=\"duplicate\"", "<http://d.example/f>;rel=duplicate")
    #expect(found == ["http://b.example/f", "http://c.example/f", "http://d.example/f"])
  }

  @Test func `other relations are ignored`() {
    #expect(
      links("<f.meta4>; rel=describedby; type=\"application/metalink4+xml\", <g>; rel=next")
        .isEmpty)
  }

  @Test func `commas and semicolons inside a URL or quotes separate nothing`() {
    #expect(
      links(
        "<http://b.example/a,b;c>; title=\"x, <http://no.example/>; rel=duplicate\"; rel=duplicate")
        == ["http://b.example/a,b;c"])
  }

  @Test func `a relative URL is resolved`() {
    #expect(links("<../g.iso>; rel=duplicate") == ["http://a.example/g.iso"])
  }

  @Test func `none leads from https to http or to another scheme`() {
    #expect(
      links(
        "<http://b.example/f>; rel=duplicate, <ftp://c.example/f>; rel=duplicate, "
          + "<https://d.example/f>; rel=duplicate", of: "https://a.example/f")
        == ["https://d.example/f"])
  }

  @Test func `their number is bounded`() {
    let many = (0..<1000).map { "<http://m\($0).example/>; rel=duplicate" }
    #expect(links(many.joined(separator: ", ")).count == 4)
  }

  @Test(arguments: ["", "<", "<>", "<http://b.example/", "x", "<a>;", "<a>;;;=", "<a>; rel=\"dup"])
  func `a malformed header names nothing and harms nothing`(text: String) {
    #expect(links(text).isEmpty)
  }
}
