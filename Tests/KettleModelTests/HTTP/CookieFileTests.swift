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
    let cookies = try #require(CookieFile.cookies(in: text, at: now))
    #expect(
      cookies == [
        Cookie(
          name: "session", value: "abc", domain: "example.org", includesSubdomains: true,
          isSecure: true),
        Cookie(name: "id", value: "7", domain: "www.example.org", path: "/a"),
        Cookie(name: "empty", value: "", domain: "example.net"),
      ])
  }

  @Test func `other text is not a cookie file`() {
    #expect(CookieFile.cookies(in: "{\"cookies\": []}", at: now) == nil)
    #expect(CookieFile.cookies(in: "", at: now) == [])
    #expect(CookieFile.cookies(in: "# Netscape HTTP Cookie File\r\n", at: now) == [])
  }
}
