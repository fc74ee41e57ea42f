import KettleModel
import Testing

@testable import KettleCollections

struct ListedPathTests {
  private func url(_ text: String) throws -> TransferURL { try TransferURL.parse(text).get().url }

  @Test(arguments: [
    ("a.bin", "a.bin", "a.bin"),
    ("./a/b.bin", "a/b.bin", "./a/b.bin"),
    ("a//b", "a/b", "a//b"),
    ("a b#c?d%e.txt", "a b#c_d%e.txt", "a%20b%23c%3Fd%25e.txt"),
    ("http:/x", "http_/x", "http%3A/x"),
    ("a\\b", "b", "a%5Cb"),
    ("über/ß", "über/ß", "%C3%BCber/%C3%9F"),
  ])
  func `a path has a place and a reference`(text: String, path: String, reference: String) throws {
    let listed = try #require(ListedPath(text))
    #expect(listed.path.text == path)
    #expect(listed.reference == reference)
  }

  @Test(arguments: [
    "", ".", "/etc/passwd", "//other.example/x", "..", "../x", "a/../../x", "/\u{301}x",
    "a/..", "\u{0}", "...", String(repeating: "a/", count: 65) + "a",
    String(repeating: "a", count: 20_000) + "/..",
  ])
  func `a path that leads elsewhere is refused`(text: String) {
    #expect(ListedPath(text) == nil)
  }

  @Test func `a combining mark does not hide a directory that leads up`() {
    #expect(ListedPath("../\u{301}x") == nil)
    #expect(ListedPath("a/\u{301}b/../../../c") == nil)
    #expect(ListedPath("a/\u{301}b")?.path.components.count == 2)
  }

  @Test func `the URL of a path is beside its document`() throws {
    let document = try url("https://h.example:8443/d/LIST?token=1")
    #expect(ListedPath("a b/c")?.url(beside: document)?.text == "https://h.example:8443/d/a%20b/c")
    let long = "a/" + String(repeating: "b", count: 20_000)
    #expect(ListedPath(long)?.url(beside: document) == nil)
  }

  @Test(arguments: [
    ("https://h.example", "a/b?c=d", "https://h.example/a/b?c=d"),
    ("https://h.example/x/", "a", "https://h.example/x/a"),
    ("http://h.example:9000/x?y=z", "/a", "http://h.example:9000/x//a"),
  ])
  func `a path below a URL is appended to it`(base: String, path: String, whole: String) throws {
    #expect(try url(base).below(path)?.text == whole)
  }

  @Test func `references belong to the answer if it has the name of the list`() throws {
    let first = try url("https://h.example/v1/SHA256SUMS")
    let mirror = try url("https://mirror.example/pub/v1/SHA256SUMS")
    let store = try url("https://store.example/assets/4711?token=1")
    #expect(ListingAnswer(mirror, []).base(for: first) == mirror)
    #expect(ListingAnswer(store, []).base(for: first) == first)
  }

  @Test func `a variable names another endpoint`() throws {
    let environment = CollectionEnvironment(["A": "http://h.example:9000/x", "B": "nonsense"])
    let usual = "https://usual.example"
    #expect(environment.endpoint("A", usual: usual)?.text == "http://h.example:9000/x")
    #expect(environment.endpoint("B", usual: usual)?.text == "https://usual.example/")
    #expect(environment.endpoint("C", usual: usual)?.text == "https://usual.example/")
  }
}
