import KettleModel
import KettleScheduler
import Testing

/// Cookies within a chain of redirects, and those of the user.
struct RedirectCookiesTests {
  /// Follows a redirect with this header. Returns the `Cookie` header of the next request.
  private func cookie(
    after setCookie: String, location: String, from url: String = "https://files.example/get/a.iso",
    _ change: (inout TransferSpec) -> Void = { _ in }
  ) throws -> String? {
    var script = SchedulerScript()
    var wanted = spec(url)
    change(&wanted)
    script.add(wanted)
    let attempt = try #require(script.attempt)
    script.head(attempt, 302, ["Location": location, "Set-Cookie": setCookie])
    script.settled(attempt, .cancelled)
    return try #require(script.plan).headers.first { $0.name == "Cookie" }?.value
  }

  @Test(arguments: [
    ("k=v; Path=/; HttpOnly", "/b.iso", "k=v"), ("k=\"v w\"; Secure; Path=/", "/", "k=\"v w\""),
    ("k=v", "/get/b.iso", "k=v"), ("k=; Path=/", "/", "k="),
    // It belongs to another path, or is removed again.
    ("k=v", "/other", nil), ("k=v; Path=/x", "/y", nil), ("k=v; Max-Age=0; Path=/", "/", nil),
    // Malformed.
    ("kv", "/", nil), ("=v; Path=/", "/", nil),
  ])
  func `a cookie that a redirect sets is returned to its origin`(
    setCookie: String, location: String, sent: String?
  ) throws {
    #expect(try cookie(after: setCookie, location: location) == sent)
  }

  @Test func `no other origin gets it, whatever domain it names`() throws {
    let setCookie = "k=v; Path=/; Domain=example"
    for url in ["https://mirror.example/", "https://files.example:8443/", "http://files.example/"] {
      let sent = try cookie(after: setCookie, location: url, from: "http://files.example:81/a")
      #expect(sent == nil)
    }
  }

  @Test func `a cookie of the user is sent beside it and only where it belongs`() throws {
    let own = Cookie(name: "me", value: "1", domain: "example", includesSubdomains: true)
    let foreign = Cookie(name: "no", value: "2", domain: "elsewhere.example")
    let sent = try cookie(after: "k=v; Path=/", location: "/b") {
      $0.options.cookies = [own, foreign]
      $0.headers = [HeaderField(received: "cookie", "given=0")]
    }
    #expect(sent == "given=0; k=v; me=1")
    let elsewhere = try cookie(after: "k=v; Path=/", location: "https://mirror.example/") {
      $0.options.cookies = [own, foreign]
      $0.headers = [HeaderField(received: "cookie", "given=0")]
    }
    #expect(elsewhere == "me=1")
  }
}
