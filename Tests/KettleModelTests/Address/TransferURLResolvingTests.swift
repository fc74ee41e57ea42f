import Testing

@testable import KettleModel

struct TransferURLResolvingTests {
  private func resolve(
    _ reference: String, from base: String = "http://a/b/c/d;p?q"
  ) throws -> Result<String, TransferURLProblem> {
    try TransferURL.parse(base).get().url.resolving(reference).map(\.url.text)
  }

  @Test(arguments: [
    ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"),
    ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"),
    ("g?y#s", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
    ("g;x?y#s", "http://a/b/c/g;x?y"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
    ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
    ("../..", "http://a/"), ("../../", "http://a/"), ("../../g", "http://a/g"),
  ])
  func `the normal examples of RFC 3986 5,4,1`(reference: String, target: String) throws {
    #expect(try resolve(reference) == .success(target))
  }

  @Test(arguments: [
    ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
    ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
    ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
    ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
    ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("g#s/./x", "http://a/b/c/g"), ("g#s/../x", "http://a/b/c/g"),
  ])
  func `the abnormal examples of RFC 3986 5,4,2`(reference: String, target: String) throws {
    #expect(try resolve(reference) == .success(target))
  }

  @Test func `another scheme is never followed`() throws {
    #expect(try resolve("g:h") == .failure(.schemeUnsupported("g")))
    #expect(try resolve("file:///etc/passwd") == .failure(.schemeUnsupported("file")))
    #expect(try resolve("javascript:alert()") == .failure(.schemeUnsupported("javascript")))
    #expect(try resolve("data:text/plain,x") == .failure(.schemeUnsupported("data")))
    // The strict reading of RFC 3986, section 5.4.2.
    #expect(try resolve("http:g") == .failure(.schemeMissing))
  }

  @Test func `an empty Location is refused`() throws {
    #expect(try resolve("") == .failure(.empty))
    #expect(try resolve(" \t ") == .failure(.empty))
  }

  @Test(arguments: [
    ("https://other.example/x", "https://other.example/x"),
    ("//other.example:8080/x", "http://other.example:8080/x"),
    ("/x y".replacing(" ", with: "%20"), "http://a/x%20y"),
    ("/ä?ä", "http://a/%C3%A4?%C3%A4"),
    ("a:b".replacing(":", with: "%3A"), "http://a/b/c/a%3Ab"),
    ("./a:b", "http://a/b/c/a:b"), ("1:b", "http://a/b/c/1:b"), ("?a:b", "http://a/b/c/d;p?a:b"),
    ("/a//../b", "http://a/a/b"), ("..//g", "http://a/b//g"),
    ("/\u{301}../g", "http://a/%CC%81../g"),
    ("//\u{301}", nil),
    // As browsers read them.
    ("/a b/c d?e f", "http://a/a%20b/c%20d?e%20f"), ("\\x\\y?z\\", "http://a/x/y?z%5C"),
    ("\\\\other.example/x", "http://other.example/x"),
    ("https:\\\\other.example\\x", "https://other.example/x"),
    ("//other.example\\@a/", "http://other.example/@a/"), ("//a b/", nil),
  ])
  func `other references from servers are resolved`(reference: String, target: String?) throws {
    let resolved = try? resolve(reference).get()
    #expect(resolved == target)
  }

  @Test func `a relative reference keeps the host and port of the base`() throws {
    #expect(
      try resolve("/y", from: "https://[::1]:8443/x?q") == .success("https://[::1]:8443/y"))
    #expect(try resolve("?z", from: "http://h") == .success("http://h/?z"))
    #expect(try resolve("g", from: "http://h") == .success("http://h/g"))
    #expect(try resolve("#", from: "http://h/x?q") == .success("http://h/x?q"))
  }

  @Test func `a login in a Location is separated from the URL`() throws {
    let parsed = try TransferURL.parse("http://a/").get().url.resolving("//u:p@b/x").get()
    #expect(parsed.url.text == "http://b/x")
    #expect(parsed.login == Login(user: "u", password: "p"))
  }

  @Test(arguments: [
    "/a\r\nSet-Cookie: x", "//user@", "//h:0/", "//evil.example\u{0}/",
  ])
  func `a hostile Location is refused`(reference: String) throws {
    #expect(throws: TransferURLProblem.self) { try resolve(reference).get() }
  }

  @Test func `a URL that becomes too long while it is resolved is rejected`() throws {
    let base = "http://a/" + String(repeating: "b", count: 9_000) + "/"
    let reference = String(repeating: "c", count: 9_000)
    #expect(try resolve(reference, from: base) == .failure(.tooLong))
  }
}
