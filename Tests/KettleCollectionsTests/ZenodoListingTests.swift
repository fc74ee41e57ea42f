import KettleModel
import Testing

@testable import KettleCollections

struct ZenodoListingTests {
  private static let md5 = "md5:" + String(repeating: "1", count: 32)
  private static let endpoint = ["KETTLE_ZENODO_ENDPOINT": "http://127.0.0.1:9000/z"]

  private func source(
    _ text: String, _ variables: [String: String] = [:]
  ) -> Result<CollectionSource, ListingProblem>? {
    ZenodoListing.source(named: text, in: CollectionEnvironment(variables))
  }

  private func read(
    _ text: String, _ variables: [String: String] = [:], answeredBy other: String? = nil
  ) throws -> ListingPage {
    let source = try #require(try source("10.5281/zenodo.3490058", variables)?.get())
    let listing = try #require(ZenodoListing(source))
    let url = try other.map { try TransferURL.parse($0).get().url } ?? source.url
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
    "https://zenodo.org/records/3490058", "https://zenodo.org/record/3490058/",
    "http://www.zenodo.org/records/3490058?preview=1#files",
    "https://doi.org/10.5281/zenodo.3490058", "http://dx.doi.org/10.5281/zenodo.3490058",
    "doi:10.5281/zenodo.3490058", "DOI:10.5281/ZENODO.3490058", " 10.5281/zenodo.3490058\n",
  ])
  func `a record and its DOI are a source`(text: String) throws {
    let source = try #require(try source(text)?.get())
    #expect(source.kind == .zenodo)
    #expect(source.name == "https://zenodo.org/records/3490058")
    #expect(source.url.text == "https://zenodo.org/api/records/3490058")
    let listing = try #require(ZenodoListing(source))
    #expect(listing.first == ListingRequest(source.url))
  }

  @Test(arguments: [
    "https://zenodo.org/", "https://zenodo.org/records/", "https://zenodo.org/communities/x",
    "https://zenodo.org/records/1/files/a.zip", "https://zenodo.org.example/records/1",
    "https://sandbox.zenodo.org/records/1", "https://zenodo.org:8443/records/1",
    "https://doi.org/10.1000/182", "10.5281/other.1", "zenodo.1", "3490058", "",
  ])
  func `other text is not a source`(text: String) {
    #expect(source(text) == nil)
  }

  @Test(arguments: [
    "https://zenodo.org/records/abc", "10.5281/zenodo.", "doi:10.5281/zenodo.-1",
    "10.5281/zenodo.1/x", "https://zenodo.org/records/0",
    "https://zenodo.org/records/99999999999999999999",
  ])
  func `a record without a number is a problem`(text: String) {
    #expect(throws: ListingProblem.self) { try source(text)?.get() }
  }

  @Test func `a record that others changed is refused`() throws {
    let known = try #require(try source("10.5281/zenodo.3490058")?.get())
    for name in ["https://zenodo.org/records/1", "https://zenodo.org/records/x", "x"] {
      var other = known
      other.name = name
      #expect(ZenodoListing(other) == nil)
    }
  }

  // https://developers.zenodo.org/#records; the links are those that the service makes since 2023
  // (https://github.com/zenodo/zenodo-rdm).
  @Test func `a record lists its files`() throws {
    let page = try read(
      """
      {"created": "2019-10-15T07:35:56+00:00", "id": 3490058, "conceptrecid": "3490057",
       "metadata": {"title": "x", "version": "1.0", "access_right": "open"}, "revision": 4,
       "files": [
         {"id": "1e37", "key": "data set.zip", "size": 4188421, "checksum": "\(Self.md5)",
          "links": {"self":
            "https://zenodo.org/api/records/3490058/files/data%20set.zip/content"}},
         {"id": "1e38", "key": "owner/name-1.0.zip", "size": 0, "checksum": "\(Self.md5)",
          "links": {"self":
            "https://zenodo.org/api/records/3490058/files/owner/name-1.0.zip/content"}}]}
      """)
    #expect(page.version == "3490058 (1.0)")
    #expect(page.members.map(\.path.text) == ["data set.zip", "owner/name-1.0.zip"])
    #expect(
      page.members.map(\.url.text) == [
        "https://zenodo.org/api/records/3490058/files/data%20set.zip/content",
        "https://zenodo.org/api/records/3490058/files/owner/name-1.0.zip/content",
      ])
    #expect(page.members.map(\.byteCount) == [4_188_421, 0])
    #expect(page.members.map(\.checksum?.text) == [Self.md5, Self.md5])
    #expect(page.refusedCount == 0 && page.further.isEmpty)
  }

  @Test func `the latest version answers for all versions`() throws {
    let page = try read(
      #"{"id": 3490060, "files": [{"key": "a b"}]}"#,
      answeredBy: "https://zenodo.org/api/records/3490060")
    #expect(page.version == "3490060")
    #expect(
      page.members.map(\.url.text) == [
        "https://zenodo.org/api/records/3490060/files/a%20b/content"
      ])
  }

  @Test(arguments: [
    "https://zenodo.org/api/records/1/files/a/content", "https://other.example/a",
    "http://127.0.0.1/a", "sftp://127.0.0.1/a", "/a", "", "file:///etc/passwd",
  ])
  func `a link to another server does not count`(link: String) throws {
    let page = try read(
      #"{"id": "1", "files": [{"key": "a", "links": {"self": "\#(link)"}}]}"#, Self.endpoint)
    #expect(
      page.members.map(\.url.text) == ["http://127.0.0.1:9000/z/api/records/1/files/a/content"])
  }

  @Test(arguments: [
    (#"{"id": 1, "files": []}"#, "the record has no file that is open to the public"),
    (#"{"id": 1}"#, "the record has no file that is open to the public"),
    (#"{"status": 404, "message": "gone"}"#, "Zenodo says: gone"),
    ("{}", "it is not a record of Zenodo"), ("[]", "it is not a record of Zenodo"),
    (#"{"id": "../x", "files": []}"#, "it is not a record of Zenodo"),
    (#"{"id": 1, "files": {}}"#, "it is not a record of Zenodo"),
    ("<html></html>", "it is not a record of Zenodo"),
    (String(repeating: "{\"a\":", count: 100_000), "it is not a record of Zenodo"),
  ])
  func `a document without files says why`(text: String, words: String) {
    #expect(problem(text) == words)
  }

  @Test func `hostile values are refused or left out`() throws {
    let page = try read(
      """
      {"id": 1, "metadata": {"version": ["x"]}, "files": [{"key": "../x"}, {"key": "/x"}, {},
        {"key": "a", "size": -1, "checksum": "crc:1"},
        {"key": "b", "size": 99999999999999999999, "checksum": 1}]}
      """)
    #expect(page.version == "1")
    #expect(page.members.map(\.path.text) == ["a", "b"])
    #expect(page.members.allSatisfy { $0.byteCount == nil && $0.checksum == nil })
    #expect(page.refusedCount == 3)
  }

  @Test func `a record of many files takes little time`() throws {
    let files = (0..<5_000).map { #"{"key": "f\#($0)", "size": \#($0)}"# }
    let page = try read("{\"id\": 1, \"files\": [" + files.joined(separator: ",") + "]}")
    #expect(page.members.count == 5_000)
  }
}
