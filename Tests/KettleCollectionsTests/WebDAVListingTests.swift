import KettleModel
import Testing

@testable import KettleCollections

/// Directories of servers that speak WebDAV.
struct WebDAVListingTests {
  private func source(_ text: String) throws -> CollectionSource? {
    try WebDAVListing.source(named: text, in: CollectionEnvironment([:]))?.get()
  }

  private func read(
    _ responses: String, of text: String = "davs://h.example/d/", prefix: String = "D"
  ) throws -> ListingPage {
    let source = try #require(try source(text))
    let listing = try #require(WebDAVListing(source))
    let document = "<?xml version=\"1.0\"?><\(prefix):multistatus xmlns:\(prefix)=\"DAV:\">"
    let bytes = Array((document + responses + "</\(prefix):multistatus>").utf8)
    return try listing.read(ListingAnswer(listing.first.url, bytes), to: listing.first)
  }

  private func file(_ reference: String, _ properties: String = "") -> String {
    """
    <D:response><D:href>\(reference)</D:href><D:propstat><D:prop><D:resourcetype/>\(properties)
    </D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
    """
  }

  private func directory(_ reference: String) -> String {
    """
    <D:response><D:href>\(reference)</D:href><D:propstat><D:prop><D:resourcetype><D:collection/>
    </D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
    """
  }

  @Test(arguments: [
    ("davs://h.example/d/", "https://h.example/d/"), ("dav://h.example:81", "http://h.example:81/"),
    ("webdavs://h.example/d", "https://h.example/d/"),
    (
      "davs://c.example/s/AbCdEfGhIjKlMn1",
      "https://c.example/public.php/dav/files/AbCdEfGhIjKlMn1/"
    ),
    (
      "davs://c.example/nc/index.php/s/AbCdEfGhIjKlMn1",
      "https://c.example/nc/public.php/dav/files/AbCdEfGhIjKlMn1/"
    ),
    ("davs://c.example/s/photos", "https://c.example/s/photos/"),
  ])
  func `a directory and a share are sources`(text: String, url: String) throws {
    let source = try #require(try source(text))
    #expect(source.url.text == url)
    #expect(WebDAVListing(source)?.first == ListingRequest(source.url, form: .properties))
  }

  @Test func `the login is not in the name`() throws {
    let text = "davs://anna:pw@h.example/d/"
    #expect(try source(text)?.name == "davs://h.example/d/")
    #expect(CollectionSource.login(in: text) == Login(user: "anna", password: "pw"))
  }

  @Test(arguments: ["https://h.example/d/", "davs:h", "h.example/d/", ""])
  func `any other text is none`(text: String) throws {
    #expect(try source(text) == nil)
  }

  @Test func `files have sizes and stamps, and directories are entered`() throws {
    let page = try read(
      directory("/d/") + directory("/d/sub%20dir/") + directory("https://h.example/d/bare")
        + file(
          "/d/a%20b.bin",
          "<D:getcontentlength> 5 </D:getcontentlength><D:getetag>\"x\"</D:getetag>")
        + file("/d/old", "<D:getlastmodified>Mon, 12 Jan 1998 09:25:56 GMT</D:getlastmodified>")
        + file("/d/old", "<D:getcontentlength>9</D:getcontentlength>"))
    #expect(page.members.map(\.path.text) == ["a b.bin", "old"])
    #expect(page.members.map(\.byteCount) == [5, nil])
    #expect(page.members.map(\.stamp) == ["\"x\"", "Mon, 12 Jan 1998 09:25:56 GMT"])
    #expect(page.members.first?.url.text == "https://h.example/d/a%20b.bin")
    let further = ["https://h.example/d/sub%20dir/", "https://h.example/d/bare/"]
    #expect(page.further.map(\.url.text) == further)
    #expect(page.further.allSatisfy { $0.form == .properties && $0.depth == 1 })
  }

  @Test func `properties with another status do not count, and namespaces do`() throws {
    let page = try read(
      """
      <D:response><D:href>/d/a</D:href><D:propstat><D:prop>
      <D:getcontentlength>7</D:getcontentlength></D:prop></D:propstat>
      <D:propstat><D:prop><D:getcontentlength/><x:resourcetype xmlns:x="urn:x"><x:collection/>
      </x:resourcetype></D:prop><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>
      </D:response>
      """)
    #expect(page.members.map(\.byteCount) == [7])
    #expect(page.further.isEmpty)
  }

  @Test(arguments: [
    "https://evil.example/d/x", "/other/x", "/d/../x", "/d/a%2Fb", "/d/a/b", "/d/%2e%2e/x",
    "//evil.example/d/x", "/d/x?y=1", "javascript:x", "/d/%2e%2e",
  ])
  func `hostile references lead nowhere`(reference: String) throws {
    let page = try read(file(reference) + directory(reference))
    #expect(page.members.isEmpty && page.further.isEmpty)
  }

  @Test func `what is no multistatus is a problem`() throws {
    #expect(throws: ListingProblem.self) { try read("<x") }
    let source = try #require(try source("dav://h.example/"))
    let listing = try #require(WebDAVListing(source))
    for text in ["<html></html>", "<multistatus/>", "", "\u{0}"] {
      #expect(throws: ListingProblem.self) {
        try listing.read(
          ListingAnswer(listing.first.url, Array(text.utf8)), to: listing.first)
      }
    }
  }
}
