import Testing

@testable import KettleModel

struct TransferURLLoginTests {
  @Test(arguments: [
    ("http://user:pass@h/", Login(user: "user", password: "pass")),
    ("http://user@h/", Login(user: "user", password: "")),
    ("http://user:@h/", Login(user: "user", password: "")),
    ("http://:token@h/", Login(user: "", password: "token")),
    ("http://a@b:c@d@h/", Login(user: "a@b", password: "c@d")),
    ("http://a:b:c@h/", Login(user: "a", password: "b:c")),
    ("http://u%40x:p%3A%2F%C3%A4@h/", Login(user: "u@x", password: "p:/ä")),
    ("http://user:pass@[::1]:8080/", Login(user: "user", password: "pass")),
  ])
  func `the login is separated from the URL and decoded`(given: String, login: Login) throws {
    let parsed = try TransferURL.parse(given).get()
    #expect(parsed.login == login)
    #expect(!parsed.url.text.contains("@"))
  }

  @Test(arguments: ["http://@h/", "http://h/a@b", "http://h/?a@b", "http://h#a@b"])
  func `an at sign without a user is not a login`(given: String) throws {
    #expect(try TransferURL.parse(given).get().login == nil)
  }

  @Test(arguments: [
    "http://a%@h/", "http://a%4@h/", "http://a%zz@h/", "http://a%0d%0a@h/", "http://a:%00@h/",
    "http://a:%ff@h/", "http://a:%7f@h/",
  ])
  func `a login that cannot be read is refused`(given: String) {
    #expect(TransferURL.parse(given) == .failure(.loginMalformed))
  }

  @Test func `the host is what follows the last at sign`() throws {
    let url = try TransferURL.parse("http://good.example:80@evil.example/").get().url
    #expect(url.host == "evil.example")
  }

  @Test func `a login never shows its password`() throws {
    let parsed = try TransferURL.parse("http://user:hunter2@h/").get()
    var spec = TransferSpec(url: parsed.url)
    spec.login = parsed.login
    #expect(String(describing: spec).contains("user: user"))
    #expect(!String(describing: spec).contains("hunter2"))
    #expect(!String(reflecting: spec).contains("hunter2"))
    #expect(!"\(parsed)".contains("hunter2"))
  }
}
