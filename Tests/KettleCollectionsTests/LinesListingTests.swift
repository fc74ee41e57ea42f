import KettleModel
import Testing

@testable import KettleCollections

struct LinesListingTests {
  private static let md5 = String(repeating: "1", count: 32)
  private static let sha256 = String(repeating: "3", count: 64)

  private func listing(_ text: String = "https://h.example/d/files.jsonl") throws -> LinesListing {
    let result = LinesListing.source(named: text, in: CollectionEnvironment([:]))
    let source = try #require(try result?.get())
    return try #require(LinesListing(source))
  }

  private func read(
    _ text: String, answeredBy other: String? = nil
  ) throws -> ListingPage {
    let listing = try listing()
    let url = try other.map { try TransferURL.parse($0).get().url } ?? listing.first.url
    return try listing.read(ListingAnswer(url, Array(text.utf8)), to: listing.first)
  }

  private func problem(_ text: String) -> String? {
    do {
      _ = try read(text)
      return nil
    } catch {
      return (error as? ListingProblem)?.words
    }
  }

  @Test(arguments: [
    "https://h.example/files.jsonl", "http://h.example/x/FILES.NDJSON",
    "https://h.example/a.jsonl?x=1",
  ])
  func `the URL of a list is a source`(text: String) throws {
    let source = try #require(
      try LinesListing.source(named: text, in: CollectionEnvironment([:]))?.get())
    #expect(source.kind == .lines)
    #expect(source.name == text)
    let listing = try #require(LinesListing(source))
    #expect(listing.first == ListingRequest(source.url))
    #expect(listing.byteCountMax == 64 << 20)
    var other = source
    other.name = "https://other.example/files.jsonl"
    #expect(LinesListing(other) == nil)
  }

  @Test(arguments: [
    "https://h.example/files.json", "https://h.example/files.jsonl/", "files.jsonl",
    "ftp://h.example/files.jsonl", "https://h.example/?x=files.jsonl", "",
  ])
  func `other text is not a source`(text: String) {
    #expect(LinesListing.source(named: text, in: CollectionEnvironment([:])) == nil)
  }

  @Test func `each line is a file`() throws {
    let page = try read(
      """
      \u{FEFF}{"path": "a b/c.bin", "size": 12, "sha256": "\(Self.sha256)", "md5": "\(Self.md5)"}

      {"path": "d.bin", "url": "https://other.example/x?y=z", "md5": "\(Self.md5)", "sha1": null}\r
      {"url": "../e%20f.bin", "tags": [{"deep": [1, 2]}]}
       \t
      {"url": "ftp://f.example/g.bin", "size": 0}
      """)
    #expect(page.members.map(\.path.text) == ["a b/c.bin", "d.bin", "e f.bin", "g.bin"])
    #expect(
      page.members.map(\.url.text) == [
        "https://h.example/d/a%20b/c.bin", "https://other.example/x?y=z",
        "https://h.example/e%20f.bin", "ftp://f.example/g.bin",
      ])
    #expect(page.members.map(\.byteCount) == [12, nil, nil, 0])
    #expect(page.members.map(\.checksum?.algorithm) == [.sha256, .md5, nil, nil])
    #expect(page.refusedCount == 0 && page.further.isEmpty && page.version == nil)
  }

  @Test func `files are beside the list that answers`() throws {
    let line = #"{"path": "a"}"#
    let mirror = try read(line, answeredBy: "https://mirror.example/files.jsonl")
    #expect(mirror.members.map(\.url.text) == ["https://mirror.example/a"])
    let store = try read(line, answeredBy: "https://store.example/4711")
    #expect(store.members.map(\.url.text) == ["https://h.example/d/a"])
  }

  @Test func `paths that cannot be used are refused and counted`() throws {
    let page = try read(
      """
      {"path": "../x"}
      {"path": "/etc/passwd", "url": "https://h.example/x"}
      {"path": ""}
      {"url": "https://h.example/"}
      {"path": "a"}
      """)
    #expect(page.members.map(\.path.text) == ["a"])
    #expect(page.refusedCount == 4)
  }

  @Test(arguments: [
    ("x", "is not a JSON object that describes a file"),
    ("[]", "is not a JSON object that describes a file"),
    (#"{"path": 1}"#, "is not a JSON object that describes a file"),
    (#"{"path": "a", "size": "1"}"#, "is not a JSON object that describes a file"),
    (#"{"path": "a", "size": 1.5}"#, "is not a JSON object that describes a file"),
    (
      #"{"path": "a", "size": 99999999999999999999}"#,
      "is not a JSON object that describes a file"
    ),
    (#"{"path": "a", "size": -1}"#, "has a size that is negative"),
    (#"{"size": 1}"#, "has neither a path nor a URL"),
    (#"{"path": "a", "url": "sftp://h.example/x"}"#, "has a URL that is not one of"),
    (#"{"path": "a", "url": "file:///etc/passwd"}"#, "has a URL that is not one of"),
    (#"{"path": "a", "url": ""}"#, "has a URL that is not one of"),
    (#"{"path": "a", "mirrors": ["https://m.example/a", "x:y"]}"#, "has a URL that is not one of"),
    (#"{"path": "a", "sha256": "12"}"#, "has a sha256 that is not a digest"),
  ])
  func `a line that is no file names its number`(line: String, words: String) throws {
    let found = try #require(problem("{\"path\": \"a\"}\n\n" + line))
    #expect(found.hasPrefix("line 3 " + words))
  }

  @Test func `a line may have mirrors`() throws {
    let mirrors = (0..<100).map { "\"https://m\($0).example/a\"" }.joined(separator: ", ")
    let page = try read(
      """
      {"path": "a", "mirrors": ["../b/a", "https://m.example/a", "a"]}
      {"path": "b", "mirrors": []}
      {"path": "c", "mirrors": [\(mirrors)]}
      """)
    #expect(
      page.members.first?.mirrors?.map(\.text) == ["https://h.example/b/a", "https://m.example/a"])
    #expect(page.members.dropFirst().first?.mirrors == nil)
    #expect(page.members.last?.mirrors?.count == TransferOptions.mirrorCountMax)
  }

  @Test func `hostile documents are refused`() {
    #expect(problem("") == "it lists no file")
    #expect(problem(String(repeating: "\n", count: 1_000_000)) == "it lists no file")
    #expect(problem(String(repeating: "[", count: 1_000_000))?.hasPrefix("line 1 ") == true)
    #expect(
      problem(#"{"path":"a","x":"# + String(repeating: "[", count: 1000))?.hasPrefix("line 1 ")
        == true)
    #expect(problem("{\"path\": \"\u{0}\"}")?.hasPrefix("line 1 ") == true)
  }

  @Test func `a long list takes little time`() throws {
    let lines = (0..<5_000).map {
      #"{"path": "d/\#($0)", "size": \#($0), "sha256": "\#(Self.sha256)"}"#
    }
    #expect(try read(lines.joined(separator: "\n")).members.count == 5_000)
  }
}
