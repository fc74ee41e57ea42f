import KettleModel
import Testing

@testable import KettleCurl

struct ProxyRulesTests {
  private func url(_ text: String) throws -> TransferURL { try TransferURL.parse(text).get().url }

  private func through(_ text: String) throws -> ProxyRules.Route {
    .through(try #require(ProxyServer(text)))
  }

  @Test func `each scheme has its own variable, with a common fallback`() throws {
    let rules = ProxyRules(environment: [
      "http_proxy": "http://a:1", "all_proxy": "socks5://me:secret@b:2",
    ])
    #expect(try rules.route(to: url("http://example.org").origin) == through("http://a:1"))
    #expect(
      try rules.route(to: url("https://example.org").origin) == through("socks5://me:secret@b:2"))
    #expect(
      try ProxyRules(environment: ["HTTPS_PROXY": "c"]).forHTTPS == through("http://c:1080"))
    #expect(ProxyRules(environment: [:]) == .none)
  }

  @Test func `lower-case names take precedence, and an empty value counts as unset`() throws {
    let rules = ProxyRules(environment: [
      "https_proxy": "a:1", "HTTPS_PROXY": "b:2", "http_proxy": "", "ALL_PROXY": "c:3",
    ])
    #expect(try rules.forHTTPS == through("a:1"))
    #expect(try rules.forHTTP == through("c:3"))
  }

  @Test func `a header of a client cannot set the proxy of a CGI program`() {
    #expect(ProxyRules(environment: ["HTTP_PROXY": "evil:1"]).forHTTP == .direct)
  }

  @Test func `an invalid proxy does not lead to a direct connection`() throws {
    let rules = ProxyRules(environment: ["http_proxy": "htp://a:1", "ALL_PROXY": "b:2"])
    #expect(rules.forHTTP == .unusable("http_proxy"))
  }

  @Test func `an invalid common proxy is named by its own variable`() {
    let rules = ProxyRules(environment: ["ALL_PROXY": "htp://a:1"])
    #expect(rules.forHTTPS == .unusable("ALL_PROXY"))
    #expect(rules.forFiles == .unusable("ALL_PROXY"))
  }

  @Test func `the meaning of a proxy's status never contains its password`() throws {
    let proxy = try #require(ProxyServer("http://me:secret@proxy:1"))
    #expect(!proxy.refusal(407).contains("secret"))
  }

  // MARK: Of one transfer

  @Test func `the choice of a transfer precedes the rules`() throws {
    var rules = ProxyRules(environment: ["http_proxy": "a:1"])
    rules.hosts = [.init(hosts: ProxyExceptions(["h"]), route: try through("own:5"))]
    let (http, host) = (try url("http://example.org/").origin, try url("http://h/").origin)
    #expect(rules.adapted(to: nil) == rules)
    #expect(rules.adapted(to: .direct) == .none)
    let one = rules.adapted(to: .server("socks5h://b:2"))
    #expect(try one.route(to: http) == through("socks5h://b:2"))
    #expect(try one.route(to: url("ftp://h/").origin) == through("socks5h://b:2"))
    let command = rules.adapted(to: .environment(ProxyEnvironment(["all_proxy": "c:3"])))
    #expect(try command.route(to: http) == through("c:3"))
    #expect(try command.route(to: host) == through("own:5"))
  }

  @Test func `the environment of a command does not precede the configuration`() throws {
    var rules = ProxyRules(environment: ["http_proxy": "a:1"])
    rules.yieldsToEnvironment = false
    let values = ProxyEnvironment(["http_proxy": "c:3"])
    #expect(rules.adapted(to: .environment(values)) == rules)
    #expect(rules.adapted(to: .direct) == .none)
  }

  @Test func `a stored proxy that is none does not lead to a direct connection`() {
    let rules = ProxyRules(environment: [:])
    let origin = Origin(scheme: .http, host: "h", port: 80)
    let chosen = rules.adapted(to: .environment(ProxyEnvironment(["all_proxy": "htp://a"])))
    #expect(chosen.route(to: origin) == .unusable("http_proxy or all_proxy of the command"))
    #expect(rules.adapted(to: .server("htp://a")).route(to: origin) == .unusable("--proxy"))
  }

  @Test func `hosts that NO_PROXY lists are reached without a proxy`() throws {
    let rules = ProxyRules(environment: ["all_proxy": "a:1", "NO_PROXY": "example.org, 10.0.0.0/8"])
    #expect(try rules.route(to: url("https://www.example.org/").origin) == .direct)
    #expect(try rules.route(to: url("http://10.200.3.4/").origin) == .direct)
    #expect(try rules.route(to: url("http://example.com/").origin) == through("a:1"))
  }

  @Test(arguments: [
    ("example.org", "example.org", true), ("example.org", "a.example.org", true),
    (".example.org", "example.org", true), ("example.org.", "example.org", true),
    ("EXAMPLE.org", "example.org", true), ("example.org", "notexample.org", false),
    ("example.org", "example.org.evil.com", false), ("*", "anything", true),
    ("*.org", "example.org", false), ("192.168.1.1", "192.168.1.1", true),
    ("192.168.1.0/24", "192.168.1.77", true), ("192.168.1.0/24", "192.168.2.77", false),
    ("192.168.1.0/33", "192.168.1.1", false), ("0.0.0.0/0", "8.8.8.8", true),
    ("10.0.0.0/9", "10.127.0.1", true), ("10.0.0.0/9", "10.128.0.1", false),
    ("::1", "[::1]", true), ("[fe80::1]", "[fe80::1]", true), ("fe80::/10", "[feb0::2]", true),
    ("fe80::/10", "[fec0::2]", false), ("0.0.0.0/0", "[::1]", false),
    ("168.1.1", "192.168.1.1", false), ("", "a", false), ("a/8", "a", false),
  ])
  func `an exception matches exactly what it says`(
    pattern: String, host: String, isMatched: Bool
  ) {
    #expect(ProxyExceptions([pattern]).contain(host) == isMatched)
  }

  @Test func `a list is separated by commas or blanks`() {
    let exceptions = ProxyExceptions(list: "a.org,b.org c.org\t,, d.org")
    for host in ["a.org", "b.org", "c.org", "d.org"] { #expect(exceptions.contain(host)) }
    #expect(!exceptions.contain("e.org"))
  }
}
