import Testing

@testable import KettleModel

struct ProxyServerTests {
  @Test func `an address is parsed completely`() throws {
    let proxy = try #require(ProxyServer("SOCKS5h://me:p%40ss%3A@Proxy.Example:9050/"))
    #expect(proxy.scheme == .socks5h)
    #expect(proxy.host == "proxy.example")
    #expect(proxy.port == 9050)
    #expect(proxy.login == Login(user: "me", password: "p@ss:"))
  }

  @Test(arguments: [
    ("proxy", "http://proxy:1080"), ("proxy:3128", "http://proxy:3128"),
    ("http://proxy:80", "http://proxy:80"), ("https://proxy", "https://proxy:443"),
    ("socks5://[::1]", "socks5://[::1]:1080"), ("http://[::1]:8080/", "http://[::1]:8080"),
    (" socks5://me:80@proxy ", "socks5://proxy:1080"),
    ("socks4a://10.0.0.1:1", "socks4a://10.0.0.1:1"),
  ])
  func `missing parts of a proxy get libcurl's defaults`(text: String, address: String) {
    #expect(ProxyServer(text)?.address == address)
  }

  @Test(arguments: [
    "", "http://", "ftp://proxy", "http://proxy/path", "http://proxy?a", "http://pro xy",
    "http://proxy:0", "http://proxy:99999", "http://me:%0d%0a@proxy", "http://a@b@c/d", "://proxy",
  ])
  func `text that is not a proxy address is rejected`(text: String) {
    #expect(ProxyServer(text) == nil)
  }

  @Test func `displayed text never contains the password`() throws {
    let proxy = try #require(ProxyServer("http://me:secret@proxy:1"))
    #expect(!"\(proxy)".contains("secret"))
  }
}
