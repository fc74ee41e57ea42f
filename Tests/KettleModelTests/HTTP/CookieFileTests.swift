import Testing

@testable import KettleModel

struct CookieFileTests {
  private let now = WallTime(millisecondsSince1970: 1_700_000_000_000)

  @Test func `the lines of a cookie file become cookies`() throws {
    let text = """
      # Netscape HTTP Cookie File

      .example.org\tTRUE\t/\tTRUE\t0\tsession\tabc
      #HttpOnly_www.example.org\tFALSE\t/a\tFALSE\t1800000000\tid\t7
      old.example\tFALSE\t/\tFALSE\t1600000000\tgone\tx
      not a cookie
      example.net\tFALSE\t/\tFALSE\tsoon\tbad\tx
      example.net\tFALSE\t/\tFALSE\t0\tempty
      """
    let file = try #require(CookieFile(text, at: now))
    #expect(file.unreadableLines == [6, 7])
    #expect(
      file.cookies == [
        Cookie(
          name: "session", value: "abc", domain: "example.org", includesSubdomains: true,
          isSecure: true),
        Cookie(name: "id", value: "7", domain: "www.example.org", path: "/a"),
        Cookie(name: "empty", value: "", domain: "example.net"),
      ])
  }

  // Fault 147
  @Test(arguments: [
    "1791464381", "1791464381.742", "1.791464381742e9", "1791464381742", "99999999999999999999",
    "1e300", "inf", "0", "-1", "-1.5", "",
  ])
  func `a time in any form keeps the cookie`(time: String) throws {
    let line = ".example.org\tTRUE\t/\tFALSE\t\(time)\tsession\tabc\r\n"
    for text in [line, "#HttpOnly_" + line, "\u{FEFF}" + line, "\u{FEFF}# c\r\n" + line] {
      let file = try #require(CookieFile(text, at: now))
      #expect(file.cookies.map(\.value) == ["abc"], "\(text)")
      #expect(file.unreadableLines == [])
    }
  }

  // Fault 147
  @Test(arguments: ["1699999999.9", "1.6e9", "1"])
  func `a time that has passed does not`(time: String) throws {
    let text = ".example.org\tTRUE\t/\tFALSE\t\(time)\tsession\tabc"
    let file = try #require(CookieFile(text, at: now))
    #expect(file.cookies == [])
    #expect(file.unreadableLines == [])
  }

  @Test(arguments: ["..x.org", ".", ".."])
  func `a domain has no leading dots`(domain: String) throws {
    let text = "# c\n\(domain)\tTRUE\t/\tFALSE\t0\tn\tv\n"
    let file = try #require(CookieFile(text, at: now))
    let expected = domain.hasSuffix("org") ? ["x.org"] : []
    #expect(file.cookies.map(\.domain) == expected)
    #expect(file.unreadableLines == (expected.isEmpty ? [2] : []))
  }

  // Fault 147
  @Test func `the lines that are no cookies are counted with all others`() throws {
    let text =
      "# c\r\n\r\na b c\r\nx.org\tTRUE\t/\tFALSE\tnan\tn\tv\r\nx.org\tTRUE\t/\tFALSE\t0\tn\t;\n\n"
    #expect(CookieFile(text, at: now)?.unreadableLines == [3, 4, 5])
  }

  @Test func `other text is not a cookie file`() {
    #expect(CookieFile("{\"cookies\": []}", at: now) == nil)
    #expect(CookieFile("", at: now)?.cookies == [])
    #expect(CookieFile("# Netscape HTTP Cookie File\r\n", at: now)?.cookies == [])
  }
}
