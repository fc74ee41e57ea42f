import KettleModel
import Testing

@testable import KettleCollections

/// The rules of robots.txt (RFC 9309).
struct RobotRulesTests {
  private func permits(_ path: String, _ text: String) throws -> Bool {
    let url = try TransferURL.parse("https://h.example" + path).get().url
    return RobotRules(Array(text.utf8)).permits(url)
  }

  @Test(arguments: [
    // The longest rule decides, and of equal ones that which permits (section 2.2.2).
    ("/example/page/disallowed.gif", false), ("/example/page/", true), ("/example/x", false),
    ("/other", true),
  ])
  func `the longest rule decides`(path: String, isPermitted: Bool) throws {
    let text = """
      User-Agent: *
      Disallow: /example/
      Allow: /example/page/
      Disallow: /example/page/disallowed.gif
      """
    #expect(try permits(path, text) == isPermitted)
  }

  @Test func `of equal rules the one that permits decides`() throws {
    #expect(try permits("/a", "User-agent: *\nDisallow: /a\nAllow: /a\n"))
  }

  @Test(arguments: [
    ("/this/is/exactly", "/this/*/exactly", false), ("/this/exactly", "/this/*/exactly", true),
    ("/a.gif", "*.gif$", false), ("/a.gif?x", "*.gif$", false), ("/a.gif.txt", "*.gif$", true),
    ("/a", "/a$", false), ("/ab", "/a$", true), ("/ab", "/a*$", false),
    ("/a.b.gif", "*.gif$", false),
    ("/gif.gif", "/*gif$", false), ("/if", "/*gif$", true), ("/x/a/b/a", "/*a*b*a$", false),
    ("/x/a/b", "/*a*b*a$", true), ("/a%20b", "/a b", false), ("/a%2Fb", "/a/b", false),
    ("/foo/bar/%E3%83%84", "/foo/bar/ツ", false), ("/a", "a", true), ("/a", "", true),
    ("/a", "/ # everything", false), ("/", "/*", false), ("/aaab", "/a*ab$", false),
  ])
  func `stars and ends`(path: String, pattern: String, isPermitted: Bool) throws {
    #expect(try permits(path, "user-agent: *\ndisallow: \(pattern)") == isPermitted)
  }

  @Test func `rules for this program come before those for all`() throws {
    let text = """
      User-agent: other
      User-agent: Kettle/1.0
      Disallow: /private/

      User-agent: *
      Disallow: /
      """
    #expect(try permits("/pub/", text))
    #expect(try permits("/private/x", text) == false)
  }

  @Test func `groups of one program are one, and other lines end none`() throws {
    let text = """
      \u{FEFF}Sitemap: https://h.example/map.xml
      User-agent: kettle
      Disallow: /a
      Crawl-delay: 10
      Disallow: /b
      User-agent: x
      Disallow: /
      User-agent: KETTLE
      Disallow: /c\r\nDisallow: /d
      """
    for path in ["/a", "/b", "/c", "/d"] { #expect(try permits(path, text) == false) }
    #expect(try permits("/e", text))
  }

  @Test(arguments: [
    "", "<html>User-agent</html>", "Disallow: /", "User-agent: *\nDisallow:", "\0:\0",
  ])
  func `a text without rules permits everything`(text: String) throws {
    #expect(try permits("/a", text))
  }

  @Test func `rules are bounded in number and length`() throws {
    let many = (0..<2000).map { "Disallow: /\($0)/" }.joined(separator: "\n")
    #expect(try permits("/999/", "User-agent: *\n" + many) == false)
    #expect(try permits("/1000/", "User-agent: *\n" + many))
    let long = "/" + String(repeating: "*a", count: 300)
    #expect(try permits("/aaaa", "User-agent: *\nDisallow: " + long))
  }

  @Test func `a page loses what its server asks for, and what is elsewhere stays`() throws {
    let rules = RobotRules(Array("User-agent: *\nDisallow: /pub/*.iso\nDisallow: /pub/old/".utf8))
    let root = try TransferURL.parse("https://h.example/pub/").get().url
    func url(_ text: String) throws -> TransferURL { try root.resolving(text).get().url }
    var page = ListingPage()
    for name in ["a.iso", "b.txt", "https://other.example/pub/a.iso"] {
      let path = try #require(MemberPath(foreign: [String(name.suffix(5))]))
      page.members.append(ListedMember(path: path, url: try url(name)))
    }
    page.further = [ListingRequest(try url("old/")), ListingRequest(try url("new/"))]
    rules.restrict(&page, of: ListingAnswer(root, []))
    #expect(
      page.members.map(\.url.text)
        == ["https://h.example/pub/b.txt", "https://other.example/pub/a.iso"])
    #expect(page.further.map(\.url.path) == ["/pub/new/"])
    #expect(page.refusedCount == 2)
  }
}
