import KettleModel
import Testing

@testable import KettleCollections

/// Metalinks of several files as collections (RFC 5854).
struct MetalinkListingTests {
  private static let digest = String(repeating: "a", count: 64)

  private func read(_ content: String) throws -> ListingPage {
    let url = try TransferURL.parse("https://h.example/all.meta4").get().url
    let listing = try #require(
      MetalinkListing(CollectionSource(.metalink, name: url.text, url: url)))
    let text = "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(content)</metalink>"
    return try listing.read(ListingAnswer(url, Array(text.utf8)), to: listing.first)
  }

  @Test func `each file is a member with its mirrors`() throws {
    let page = try read(
      """
      <file name="a/b.iso"><size>5</size><hash type="sha-256">\(Self.digest)</hash>
        <url priority="2">https://two.example/b.iso</url>
        <url priority="1">https://one.example/b.iso</url></file>
      <file name="c.txt"><url>http://one.example/c.txt</url></file>
      """)
    #expect(page.members.map(\.path.text) == ["a/b.iso", "c.txt"])
    let first = try #require(page.members.first)
    #expect(first.url.text == "https://one.example/b.iso")
    #expect(first.mirrors?.map(\.text) == ["https://two.example/b.iso"])
    #expect(first.byteCount == 5)
    #expect(first.checksum?.hex == Self.digest)
    #expect(page.members.last?.mirrors == nil)
    #expect(page.refusedCount == 0)
  }

  @Test(arguments: ["../x", "/etc/x", "a/../../x", ".."])
  func `a name that leads out is left out`(name: String) throws {
    let page = try read(
      """
      <file name="\(name)"><url>https://one.example/x</url></file>
      <file name="a"><url>https://one.example/a</url></file>
      """)
    #expect(page.members.map(\.path.text) == ["a"])
    #expect(page.refusedCount == 1)
  }

  @Test func `what is no Metalink is a problem`() {
    #expect(throws: ListingProblem.self) { try read("<file") }
  }

  @Test func `no text names such a source, and a changed record is refused`() throws {
    let text = "https://h.example/all.meta4"
    #expect(MetalinkListing.source(named: text, in: CollectionEnvironment([:])) == nil)
    let url = try TransferURL.parse(text).get().url
    #expect(MetalinkListing(CollectionSource(.metalink, name: "x", url: url)) == nil)
    #expect(MetalinkListing(CollectionSource(.lines, name: text, url: url)) == nil)
  }
}
