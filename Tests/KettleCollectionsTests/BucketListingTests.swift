import KettleModel
import Testing

@testable import KettleCollections

struct BucketListingTests {
  private static let local = ["AWS_ENDPOINT_URL_S3": "http://127.0.0.1:9000/s"]

  private func source(
    _ text: String, _ variables: [String: String] = [:]
  ) -> Result<CollectionSource, ListingProblem>? {
    BucketListing.source(named: text, in: CollectionEnvironment(variables))
  }

  private func listing(
    _ text: String, _ variables: [String: String] = local
  ) throws -> BucketListing {
    let source = try #require(try source(text, variables)?.get())
    return try #require(BucketListing(source))
  }

  private func document(_ content: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">\(content)</ListBucketResult>
    """
  }

  private func contents(_ key: String, _ size: String = "1") -> String {
    "<Contents><Key>\(key)</Key><Size>\(size)</Size></Contents>"
  }

  private func read(
    _ text: String, of name: String = "s3://data/a b/"
  ) throws -> ListingPage {
    let listing = try listing(name)
    return try listing.read(ListingAnswer(listing.first.url, Array(text.utf8)), to: listing.first)
  }

  private static let query = "?encoding-type=url&list-type=2&prefix="

  @Test(arguments: [
    ("s3://data/x/y/", [:], "https://data.s3.amazonaws.com/", "x%2Fy%2F"),
    ("s3://data", [:], "https://data.s3.amazonaws.com/", ""),
    ("s3://data.example.org/x", [:], "https://s3.amazonaws.com/data.example.org/", "x"),
    ("s3://data/", ["AWS_ENDPOINT_URL": "https://e.example"], "https://e.example/data/", ""),
    ("s3://data/ä?#+%20/", local, "http://127.0.0.1:9000/s/data/", "%C3%A4%3F%23%2B%2520%2F"),
    ("gs://my_data/x/", local, "https://storage.googleapis.com/my_data/", "x%2F"),
  ])
  func `a bucket with a prefix is a source`(
    text: String, variables: [String: String], root: String, prefix: String
  ) throws {
    let source = try #require(try source(text, variables)?.get())
    #expect(source.kind == .bucket)
    #expect(source.name == (text == "s3://data" ? "s3://data/" : text))
    #expect(source.url.text == root + Self.query + prefix)
    let listing = try #require(BucketListing(source))
    #expect(listing.first == ListingRequest(source.url))
  }

  @Test(arguments: [
    "", "data", "https://data.s3.amazonaws.com/", "s3:data/x", "s4://data/", "s3/://x",
  ])
  func `other text is not a source`(text: String) {
    #expect(source(text) == nil)
  }

  @Test(arguments: [
    "s3://", "s3:///x", "s3://ab/x", "s3://Data/x", "s3://my_data/x", "s3://-data/x",
    "s3://data-/x", "s3://da..ta/x", "s3://user@host/x", "s3://data:80/x", "gs://da%2Fta/",
    "s3://" + String(repeating: "x", count: 64) + "/",
    "s3://data/" + String(repeating: "x", count: 1025), "s3://data/a\nb",
  ])
  func `a name that no bucket has is a problem`(text: String) {
    #expect(throws: ListingProblem.self) { try source(text)?.get() }
  }

  @Test func `a record that others changed is refused`() throws {
    let known = try #require(try source("s3://data/x/", Self.local)?.get())
    for name in ["s3://data/y/", "s3://other/x/", "s3://Data/x/", "x"] {
      var other = known
      other.name = name
      #expect(BucketListing(other) == nil)
    }
  }

  // https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
  @Test func `a page lists objects below the prefix and leads to the next one`() throws {
    let text = document(
      """
      <Name>data</Name><Prefix>a+b/</Prefix><NextContinuationToken>1ueGc=/+x</NextContinuationToken>
      <KeyCount>4</KeyCount><MaxKeys>1000</MaxKeys><EncodingType>url</EncodingType>
      <IsTruncated>true</IsTruncated>
      <Contents><Key>a+b/</Key><Size>0</Size></Contents>
      <Contents><Key>a+b/c%2Bd%23.jpg</Key><LastModified>2009-10-12T17:50:30.000Z</LastModified>
        <ETag>"fba9dede5f27731c9771645a39863328"</ETag><Size>434234</Size>
        <StorageClass>STANDARD</StorageClass></Contents>
      <Contents><Key>a+b/e/%C3%A4.txt</Key><Size>0</Size><Owner><ID>x</ID></Owner></Contents>
      """)
    let page = try read(text)
    #expect(page.members.map(\.path.text) == ["c+d#.jpg", "e/ä.txt"])
    #expect(
      page.members.map(\.url.text) == [
        "http://127.0.0.1:9000/s/data/a%20b/c%2Bd%23.jpg",
        "http://127.0.0.1:9000/s/data/a%20b/e/%C3%A4.txt",
      ])
    #expect(page.members.map(\.byteCount) == [434_234, 0])
    #expect(page.members.allSatisfy { $0.checksum == nil })
    #expect(page.version == nil && page.refusedCount == 0)
    let next = try #require(page.further.first)
    #expect(
      next.url.text == "http://127.0.0.1:9000/s/data/?continuation-token=1ueGc%3D%2F%2Bx&"
        + Self.query.dropFirst() + "a%20b%2F")
    #expect(next.stage == 1)
    let listing = try listing("s3://data/a b/")
    #expect(throws: ListingProblem("it does not say where it goes on")) {
      try listing.read(ListingAnswer(next.url, Array(text.utf8)), to: next)
    }
    let last = ListingAnswer(next.url, Array(document("<KeyCount>0</KeyCount>").utf8))
    #expect(try listing.read(last, to: next) == ListingPage())
  }

  @Test func `a prefix without a slash keeps the names that begin with its end`() throws {
    let page = try read(document(contents("x/data/1") + contents("x/data2")), of: "s3://data/x/da")
    #expect(page.members.map(\.path.text) == ["data/1", "data2"])
    #expect(
      page.members.map(\.url.text) == [
        "http://127.0.0.1:9000/s/data/x/data/1", "http://127.0.0.1:9000/s/data/x/data2",
      ])
  }

  @Test func `keys stay as they are in a list that is not encoded`() throws {
    let page = try read(document(contents("a+b%20&amp;c")), of: "s3://data/")
    #expect(page.members.map(\.path.text) == ["a+b%20&c"])
    #expect(page.members.map(\.url.text) == ["http://127.0.0.1:9000/s/data/a%2Bb%2520%26c"])
  }

  @Test func `hostile keys are refused, and hostile sizes are left out`() throws {
    let keys = ["../x", "a/../../x", "./x", "a/.", "", "%FF", "%zz", "%2E%2E%2Fx", "%00"]
    let page = try read(
      document(
        "<EncodingType>url</EncodingType>" + keys.map { contents($0) }.joined()
          + contents("//other.example/x", "-1") + contents("a//b", "99999999999999999999")),
      of: "s3://data/")
    #expect(page.refusedCount == keys.count)
    #expect(page.members.map(\.path.text) == ["other.example/x", "a/b"])
    #expect(
      page.members.map(\.url.text) == [
        "http://127.0.0.1:9000/s/data///other.example/x", "http://127.0.0.1:9000/s/data/a//b",
      ])
    #expect(page.members.allSatisfy { $0.byteCount == nil })
    #expect(try read(document(contents("other/x"))).refusedCount == 1)
  }

  @Test(arguments: [
    (
      "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>",
      "the service returned \"AccessDenied: Access Denied\""
    ),
    ("<Error/>", "the service returned an error"),
    (
      "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
      "it is cut off and does not say where it goes on"
    ),
    ("<ListBucketResult/>", "no object has this prefix"),
    ("<html></html>", "it is not the list of a bucket"), ("", "line 1 is not valid XML"),
    ("{}", "line 1 is not valid XML"), ("<!DOCTYPE x><x/>", "it has a document type"),
    (String(repeating: "<a>", count: 100_000), "its elements are nested too deeply"),
  ])
  func `a document without objects says why`(text: String, words: String) {
    #expect(throws: ListingProblem(words)) { try read(text) }
  }

  @Test func `a long page takes little time`() throws {
    let keys = (0..<5_000).map { contents("a b/\($0 % 100)/\($0)") }
    #expect(try read(document(keys.joined())).members.count == 5_000)
  }
}
