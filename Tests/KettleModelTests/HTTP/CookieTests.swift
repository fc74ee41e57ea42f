import Testing

@testable import KettleModel

struct CookieTests {
  private func belongs(_ cookie: Cookie, to url: String) throws -> Bool {
    cookie.belongs(to: try TransferURL.parse(url).get().url)
  }

  @Test(arguments: [
    ("http://example.org/", true), ("http://www.example.org/a", true),
    ("http://badexample.org/", false), ("http://org/", false),
  ])
  func `a cookie of a domain is sent to the hosts below it`(url: String, isSent: Bool) throws {
    let cookie = Cookie(name: "a", value: "b", domain: "example.org", includesSubdomains: true)
    #expect(try belongs(cookie, to: url) == isSent)
  }

  @Test func `a cookie of a host is sent to that host alone`() throws {
    let cookie = Cookie(name: "a", value: "b", domain: "example.org")
    #expect(try belongs(cookie, to: "http://example.org/"))
    #expect(try !belongs(cookie, to: "http://www.example.org/"))
  }

  @Test func `an address has no hosts below it`() throws {
    let cookie = Cookie(name: "a", value: "b", domain: "0.0.1", includesSubdomains: true)
    #expect(try !belongs(cookie, to: "http://127.0.0.1/"))
  }

  @Test func `a secure cookie is sent over https alone`() throws {
    let cookie = Cookie(name: "a", value: "b", domain: "example.org", isSecure: true)
    #expect(try belongs(cookie, to: "https://example.org/"))
    #expect(try !belongs(cookie, to: "http://example.org/"))
  }

  // The examples of RFC 6265, section 5.1.4.
  @Test(arguments: [
    ("/docs", "/docs", true), ("/docs", "/docs/", true), ("/docs", "/docs/x", true),
    ("/docs/", "/docs/x", true), ("/docs", "/documents", false), ("/docs/", "/docs", false),
  ])
  func `a cookie is sent to paths below its own`(path: String, requested: String, isSent: Bool)
    throws
  {
    let cookie = Cookie(name: "a", value: "b", domain: "h", path: path)
    #expect(try belongs(cookie, to: "http://h" + requested) == isSent)
  }

  @Test func `text that would change the header is not usable`() {
    #expect(Cookie(name: "a", value: "b=c \"d\" ü", domain: "h").isUsable)
    for (name, value) in [
      ("", "b"), ("a=b", "c"), ("a", "b; c=d"), ("a", "b\r\nX: y"), ("a\u{0}", ""),
    ] {
      #expect(!Cookie(name: name, value: value, domain: "h").isUsable)
    }
    let long = String(repeating: "x", count: Cookie.byteCountMax)
    #expect(!Cookie(name: "a", value: long, domain: "h").isUsable)
  }
}
