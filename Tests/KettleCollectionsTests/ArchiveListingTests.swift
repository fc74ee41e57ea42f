import KettleModel
import Testing

@testable import KettleCollections

struct ArchiveListingTests {
  private static let md5 = String(repeating: "1", count: 32)
  private static let sha1 = String(repeating: "2", count: 40)

  private func source(
    _ text: String, _ variables: [String: String] = [:]
  ) -> Result<CollectionSource, ListingProblem>? {
    ArchiveListing.source(named: text, in: CollectionEnvironment(variables))
  }

  private func read(_ text: String, _ variables: [String: String] = [:]) throws -> ListingPage {
    let source = try #require(try source("https://archive.org/details/xfetch", variables)?.get())
    let listing = try #require(ArchiveListing(source))
    return try listing.read(
      ListingAnswer(source.url, Array(text.utf8), mediaType: "application/json"),
      to: listing.first)
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
    "https://archive.org/details/xfetch", "https://www.archive.org/details/xfetch/",
    "http://archive.org/download/xfetch", "https://archive.org/download/xfetch/?sort=date#files",
  ])
  func `the page of an item is a source`(text: String) throws {
    let source = try #require(try source(text)?.get())
    #expect(source.kind == .archive)
    #expect(source.name == "https://archive.org/details/xfetch")
    #expect(source.url.text == "https://archive.org/metadata/xfetch")
    let listing = try #require(ArchiveListing(source))
    #expect(listing.first == ListingRequest(source.url))
    #expect(listing.byteCountMax == 64 << 20)
  }

  @Test(arguments: [
    "https://archive.org/", "https://archive.org/details/", "https://archive.org/details/x/y",
    "https://archive.org/download/x/y.pdf", "https://archive.org/metadata/x", "archive://x",
    "https://web.archive.org/details/x", "https://archive.org:8443/details/x",
    "https://archive.org.example/details/x", "ftp://archive.org/details/x", "xfetch", "",
  ])
  func `other text is not a source`(text: String) {
    #expect(source(text) == nil)
  }

  @Test(arguments: [
    "https://archive.org/details/@someone", "https://archive.org/details/..",
    "https://archive.org/details/a%2Fb", "https://archive.org/details/-x",
    "https://archive.org/details/" + String(repeating: "x", count: 101),
  ])
  func `a name that is no identifier is a problem`(text: String) {
    #expect(throws: ListingProblem.self) { try source(text)?.get() }
  }

  @Test func `a variable names another server`() throws {
    let variables = ["KETTLE_ARCHIVE_ENDPOINT": "http://127.0.0.1:9000/ia/"]
    let source = try #require(try source("https://archive.org/details/xfetch", variables)?.get())
    #expect(source.url.text == "http://127.0.0.1:9000/ia/metadata/xfetch")
    #expect(source.name == "https://archive.org/details/xfetch")
    let page = try read(#"{"files": [{"name": "a b"}]}"#, variables)
    #expect(page.members.map(\.url.text) == ["http://127.0.0.1:9000/ia/download/xfetch/a%20b"])
  }

  @Test func `a record that others changed is refused`() throws {
    let known = try #require(try source("https://archive.org/details/xfetch")?.get())
    for name in ["https://archive.org/details/other", "https://archive.org/details/..", "xfetch"] {
      var other = known
      other.name = name
      #expect(ArchiveListing(other) == nil)
    }
  }

  // https://archive.org/developers/md-read.html
  @Test func `an item lists its files`() throws {
    let page = try read(
      """
      {
        "created": 1616004182, "d1": "ia600308.us.archive.org", "dir": "/21/items/xfetch",
        "files": [
          {"name": "xfetch.pdf", "source": "original", "format": "Text PDF", "size": "419170",
           "mtime": "1479169618", "crc32": "4db3022d", "md5": "\(Self.md5)", "sha1": "\(Self.sha1)"},
          {"name": "sub dir/a#1.txt", "size": 7, "md5": "\(Self.md5)", "title": ["a", "b"]},
          {"name": "loan.pdf", "size": "5", "private": "true"},
          {"name": "xfetch_files.xml", "source": "original", "format": "Metadata", "size": "99",
           "md5": "\(Self.md5)", "summation": "md5"}
        ],
        "files_count": 4, "item_last_updated": 1613804036, "item_size": 10682344,
        "metadata": {"collection": ["opensource", "community"]}, "uniq": 267404775,
        "server": "ia800308.us.archive.org"
      }
      """)
    #expect(page.version == "1613804036")
    #expect(
      page.members.map(\.path.text) == ["xfetch.pdf", "sub dir/a#1.txt", "xfetch_files.xml"])
    #expect(
      page.members.map(\.url.text) == [
        "https://archive.org/download/xfetch/xfetch.pdf",
        "https://archive.org/download/xfetch/sub%20dir/a%231.txt",
        "https://archive.org/download/xfetch/xfetch_files.xml",
      ])
    #expect(page.members.map(\.byteCount) == [419_170, 7, nil])
    #expect(page.members.map(\.checksum?.algorithm) == [.sha1, .md5, nil])
    #expect(page.refusedCount == 0 && page.further.isEmpty)
  }

  @Test(arguments: [
    ("{}", "there is no such item"),
    (#"{"server": "x", "dir": "y"}"#, "the item has no list of files"),
    (#"{"is_dark": true, "server": "x"}"#, "the item is no longer open to the public"),
    (#"{"error": "Couldn't locate item"}"#, "archive.org says: Couldn't locate item"),
    (#"{"files": []}"#, "the item has no file that is open to the public"),
    (
      #"{"files": [{"name": "a", "private": true}]}"#,
      "the item has no file that is open to the public"
    ),
    ("[]", "it is not the metadata of an item"),
    ("<html></html>", "it is not the metadata of an item"),
    (#"{"files": {}}"#, "it is not the metadata of an item"),
    (#"{"files": [1]}"#, "it is not the metadata of an item"),
    (String(repeating: "[", count: 1_000_000), "it is not the metadata of an item"),
  ])
  func `a document without files says why`(text: String, words: String) {
    #expect(problem(text) == words)
  }

  @Test func `hostile values are refused or left out`() throws {
    let page = try read(
      """
      {"updated": "x", "files": [{"name": "../x"}, {"name": "/x"}, {"name": 5}, {}, {"name": []},
        {"name": "https://other.example/y"}, {"name": "a", "size": "-1", "sha1": "zz"},
        {"name": "b", "size": "99999999999999999999", "md5": 1}]}
      """)
    #expect(page.version == "x")
    #expect(
      page.members.map(\.url.text) == [
        "https://archive.org/download/xfetch/5",
        "https://archive.org/download/xfetch/https%3A//other.example/y",
        "https://archive.org/download/xfetch/a", "https://archive.org/download/xfetch/b",
      ])
    #expect(page.members.allSatisfy { $0.byteCount == nil && $0.checksum == nil })
    #expect(page.refusedCount == 4)
  }

  @Test func `an item of many files takes little time`() throws {
    let files = (0..<5_000).map {
      #"{"name": "f\#($0)", "size": "\#($0)", "sha1": "\#(Self.sha1)", "md5": "\#(Self.md5)"}"#
    }
    let page = try read("{\"files\": [" + files.joined(separator: ",") + "]}")
    #expect(page.members.count == 5_000)
  }
}
