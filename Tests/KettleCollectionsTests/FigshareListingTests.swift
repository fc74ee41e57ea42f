import KettleModel
import Testing

@testable import KettleCollections

struct FigshareListingTests {
  private static let md5 = String(repeating: "1", count: 32)
  private static let endpoint = ["KETTLE_FIGSHARE_ENDPOINT": "http://127.0.0.1:9000/f"]
  private static let api = "https://api.figshare.com/v2/articles/2000005"

  private func source(
    _ text: String, _ variables: [String: String] = [:]
  ) -> Result<CollectionSource, ListingProblem>? {
    FigshareListing.source(named: text, in: CollectionEnvironment(variables))
  }

  /// Reads the document of an article, and then another one as the next page.
  private func read(
    _ text: String, article: String = #"{"version": 3}"#, named name: String = "2000005",
    _ variables: [String: String] = [:]
  ) throws -> ListingPage {
    let (listing, next) = try second(article, named: name, variables)
    return try listing.read(ListingAnswer(next.url, Array(text.utf8)), to: next)
  }

  private func second(
    _ article: String, named name: String = "2000005", _ variables: [String: String] = [:]
  ) throws -> (FigshareListing, ListingRequest) {
    let source = try #require(try source("10.6084/m9.figshare.\(name)", variables)?.get())
    let listing = try #require(FigshareListing(source))
    let answer = ListingAnswer(source.url, Array(article.utf8))
    let page = try listing.read(answer, to: listing.first)
    #expect(page.members.isEmpty && page.refusedCount == 0 && page.further.count == 1)
    return (listing, try #require(page.further.first))
  }

  private func problem(_ read: () throws -> Void) -> String? {
    do {
      try read()
      return nil
    } catch {
      return (error as? ListingProblem)?.words
    }
  }

  private static func page(_ count: Int) -> String {
    let files = (0..<count).map {
      #"{"id": \#($0), "name": "f\#($0)", "download_url": "https://h.example/\#($0)"}"#
    }
    return "[" + files.joined(separator: ",") + "]"
  }

  @Test(arguments: [
    "https://figshare.com/articles/dataset/A_title/2000005",
    "http://www.figshare.com/articles/dataset/A_title/2000005/?file=3000002#files",
    "https://janelia.figshare.com/articles/dataset/2023/2000005",
    "https://figshare.com/articles/A_title/2000005", "doi:10.6084/m9.figshare.2000005",
    "https://doi.org/10.6084/m9.figshare.2000005", " 10.6084/M9.FIGSHARE.2000005\n",
  ])
  func `an article and its DOI are a source`(text: String) throws {
    let source = try #require(try source(text)?.get())
    #expect(source.kind == .figshare)
    #expect(source.name == "https://figshare.com/articles/_/2000005")
    #expect(source.directoryName?.text == "2000005")
    #expect(source.url.text == Self.api)
    let listing = try #require(FigshareListing(source))
    #expect(listing.first == ListingRequest(source.url))
    #expect(try self.source(source.name)?.get() == source)
  }

  @Test(arguments: [
    "https://figshare.com/articles/dataset/A_title/2000005/3",
    "https://janelia.figshare.com/articles/dataset/2023/2000005/3",
    "https://figshare.com/articles/A_title/2000005/3", "10.6084/m9.figshare.2000005.v3",
  ])
  func `a version of an article is a source`(text: String) throws {
    let source = try #require(try source(text)?.get())
    #expect(source.name == "https://figshare.com/articles/_/2000005/3")
    #expect(source.directoryName?.text == "2000005")
    #expect(source.url.text == Self.api + "/versions/3")
    #expect(FigshareListing(source) != nil)
    #expect(try self.source(source.name)?.get() == source)
  }

  @Test(arguments: [
    "https://figshare.com/", "https://figshare.com/articles/", "https://figshare.com/s/0123abcd",
    "https://figshare.com/collections/A_title/2000005",
    "https://figshare.com.example/articles/a/b/1",
    "https://evilfigshare.com/articles/dataset/A_title/2000005",
    "https://figshare.com:8443/articles/dataset/A_title/2000005", "ftp://figshare.com/articles/a/1",
    "https://ndownloader.figshare.com/files/3000002", "https://doi.org/10.25378/janelia.25309105",
    "10.6084/m9.other.1", "2000005", "",
  ])
  func `other text is not a source`(text: String) {
    #expect(source(text) == nil)
  }

  @Test(arguments: [
    "https://figshare.com/articles/dataset/A_title", "10.6084/m9.figshare.c.2000005",
    "10.6084/m9.figshare.", "doi:10.6084/m9.figshare.-1", "10.6084/m9.figshare.1/x",
    "10.6084/m9.figshare.2000005.v0", "10.6084/m9.figshare.2000005.v1.v2",
    "https://figshare.com/articles/dataset/A_title/99999999999999999999",
  ])
  func `an article without a number is a problem`(text: String) {
    #expect(throws: ListingProblem.self) { try source(text)?.get() }
  }

  @Test func `a record that others changed is refused`() throws {
    let known = try #require(try source("10.6084/m9.figshare.2000005")?.get())
    let page = "https://figshare.com/articles/_/"
    for name in [page + "1", page + "2000005/3", "x"] {
      var other = known
      other.name = name
      #expect(FigshareListing(other) == nil)
    }
    for url in ["?x", "x", "ftp://h.example/v2/articles/2000005"] {
      var other = known
      other.url = try known.url.resolving(url).get().url
      #expect(FigshareListing(other) == nil)
    }
  }

  // https://docs.figshare.com/swagger.json: ArticleComplete, and a list of PublicFile
  @Test func `an article lists the files of its version`() throws {
    let (listing, next) = try second(
      """
      {"id": 2000005, "title": "A title", "doi": "10.6084/m9.figshare.2000005.v3", "version": 3,
       "figshare_url": "http://figshare.com/articles/dataset/A_title/2000005", "size": 14855,
       "is_embargoed": false, "download_disabled": false, "has_linked_file": false,
       "files": [{"id": 3000002, "name": "test.xls", "size": 14848}],
       "folder_structure": {"3000002": "Test Folder", "3000003": "a/b", "3000004": ["x"]}}
      """)
    #expect(next.url.text == Self.api + "/versions/3/files?page=1&page_size=1000")
    let text = """
      [{"id": 3000002, "name": "test.xls", "size": 14848, "is_link_only": false,
        "download_url": "https://ndownloader.figshare.com/files/3000002",
        "supplied_md5": "\(String(repeating: "2", count: 32))", "computed_md5": "\(Self.md5)",
        "mimetype": "application/vnd.ms-excel"},
       {"id": 3000003, "name": "c d.txt", "size": 7, "is_link_only": false,
        "download_url": "https://ndownloader.figshare.com/files/3000003",
        "supplied_md5": "\(Self.md5)", "computed_md5": "", "mimetype": ""},
       {"id": 3000004, "name": "c d.txt", "size": 0, "is_link_only": false,
        "download_url": "https://ndownloader.figshare.com/files/3000004",
        "supplied_md5": "", "computed_md5": ""},
       {"id": 3000005, "name": "A page", "size": 0, "is_link_only": true,
        "download_url": "https://other.example/page", "supplied_md5": "", "computed_md5": ""}]
      """
    let page = try listing.read(ListingAnswer(next.url, Array(text.utf8)), to: next)
    #expect(page.members.map(\.path.text) == ["Test Folder/test.xls", "a/b/c d.txt", "c d.txt"])
    #expect(
      page.members.map(\.url.text)
        == [2, 3, 4].map { "https://ndownloader.figshare.com/files/300000\($0)" })
    #expect(page.members.map(\.byteCount) == [14_848, 7, 0])
    #expect(page.members.map(\.checksum?.hex) == [Self.md5, Self.md5, nil])
    #expect(page.refusedCount == 1 && page.further.isEmpty)
  }

  @Test func `the list is that of the version that was named`() throws {
    let (_, next) = try second(#"{"version": "3"}"#, named: "2000005.v3")
    #expect(next.url.text == Self.api + "/versions/3/files?page=1&page_size=1000")
    let (_, other) = try second(#"{"version": 4}"#, named: "2000005.v3")
    #expect(other.url.text == Self.api + "/versions/3/files?page=1&page_size=1000")
  }

  @Test func `a variable names another server, whose documents say where files are`() throws {
    let source = try #require(try source("10.6084/m9.figshare.2000005", Self.endpoint)?.get())
    #expect(source.url.text == "http://127.0.0.1:9000/f/v2/articles/2000005")
    #expect(source.name == "https://figshare.com/articles/_/2000005")
    let (_, next) = try second(#"{"version": 3}"#, Self.endpoint)
    #expect(
      next.url.text
        == "http://127.0.0.1:9000/f/v2/articles/2000005/versions/3/files?page=1&page_size=1000")
    let page = try read(
      """
      [{"name": "a", "download_url": "http://127.0.0.1:9000/files/1"},
       {"name": "b", "download_url": "https://ndownloader.figshare.com/files/2"}]
      """, Self.endpoint)
    #expect(
      page.members.map(\.url.text)
        == ["http://127.0.0.1:9000/files/1", "https://ndownloader.figshare.com/files/2"])
  }

  @Test func `a full page leads to the next one of the same server`() throws {
    let (listing, first) = try second(#"{"version": 3, "folder_structure": {"5": "d"}}"#)
    let full = Array(Self.page(1000).utf8)
    // The server that has answered may be another one after a redirect.
    let elsewhere = try TransferURL.parse("https://evil.example/files?page=9").get().url
    var page = try listing.read(ListingAnswer(elsewhere, full), to: first)
    #expect(page.members.count == 1000)
    #expect(page.members.map(\.path.text)[5] == "d/f5")
    let next = try #require(page.further.first)
    #expect(next.url.text == Self.api + "/versions/3/files?page=2&page_size=1000")
    #expect(next.fileDirectories == ["5": "d"] && page.further.count == 1)
    for count in [999, 1001, 1] {
      page = try listing.read(ListingAnswer(next.url, Array(Self.page(count).utf8)), to: next)
      #expect(page.members.count == count && page.further.isEmpty)
    }
    page = try listing.read(ListingAnswer(next.url, Array("[]".utf8)), to: next)
    #expect(page.members.isEmpty && page.further.isEmpty)
  }

  @Test func `a server that repeats a page is not asked without end`() throws {
    let (listing, first) = try second(#"{"version": 3}"#)
    for (stage, count) in [(999, 1), (1000, 0)] {
      let request = ListingRequest(first.url, stage: stage)
      let page = try listing.read(
        ListingAnswer(first.url, Array(Self.page(1000).utf8)), to: request)
      #expect(page.further.count == count)
    }
  }

  @Test(arguments: [
    (#"{"message": "Article not found", "code": 404}"#, "figshare says: Article not found"),
    ("{}", "it is not an article of figshare"), ("[]", "it is not an article of figshare"),
    (#"{"version": "../x"}"#, "it is not an article of figshare"),
    (#"{"version": {"number": 3}}"#, "it is not an article of figshare"),
    ("<html></html>", "it is not an article of figshare"),
    (String(repeating: "{\"a\":", count: 100_000), "it is not an article of figshare"),
  ])
  func `a document that is no article says why`(text: String, words: String) {
    #expect(problem { _ = try second(text) } == words)
  }

  @Test(arguments: [
    ("[]", "the article has no file that is open to the public"),
    (#"{"message": "gone"}"#, "figshare says: gone"), ("{}", "it is not an article of figshare"),
    ("7", "it is not an article of figshare"),
    ("<html></html>", "it is not an article of figshare"),
  ])
  func `a page without files says why`(text: String, words: String) {
    #expect(problem { _ = try read(text) } == words)
  }

  @Test func `hostile values are refused or left out`() throws {
    let url = #""download_url": "https://h.example/x""#
    let page = try read(
      """
      [{"name": "../x", \(url)}, {"name": "/x", \(url)}, {"name": "a/b", \(url)},
       {"name": "", \(url)}, {"name": "..", \(url)}, {"name": ".", "id": 2, \(url)},
       {"name": "x", "id": 1, \(url)}, {\(url)}, {"name": ["x"], \(url)}, {"name": "x"}, {"name": "x", "download_url": "/files/1"},
       {"name": "x", "download_url": 5}, 7, null, [], {},
       {"name": "a", "size": -1, "computed_md5": "zz", \(url)},
       {"name": "b", "id": {}, "size": 99999999999999999999, "supplied_md5": 1, \(url)},
       {"name": "c", "id": 3, "size": "5", "is_link_only": null, \(url)}]
      """,
      article: #"{"version": 3, "folder_structure": {"1": "../y", "2": "d", "3": "//e/./f/"}}"#)
    #expect(page.members.map(\.path.text) == ["a", "b", "e/f/c"])
    #expect(page.members.map(\.byteCount) == [nil, nil, 5])
    #expect(page.members.allSatisfy { $0.checksum == nil })
    #expect(page.refusedCount == 16)
  }

  @Test(arguments: ["[]", "null", "5", #"{"3": {"a": "b"}}"#])
  func `folders of another form do not count`(folders: String) throws {
    let page = try read(
      #"[{"id": 3, "name": "a", "download_url": "https://h.example/x"}]"#,
      article: #"{"version": 3, "folder_structure": \#(folders)}"#)
    #expect(page.members.map(\.path.text) == ["a"])
  }
}
