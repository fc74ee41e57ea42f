import KettleModel
import Testing

@testable import KettleCollections

struct CollectionSourcesTests {
  private static let examples: [(String, CollectionSource.Kind)] = [
    ("https://archive.org/details/xfetch", .archive), ("10.5281/zenodo.1", .zenodo),
    ("10.6084/m9.figshare.1", .figshare), ("10.7910/DVN/A", .dataverse),
    ("s3://data/x/", .bucket), ("sftp://h.example/x/", .directory),
    ("davs://h.example/x", .webDAV), ("https://h.example/SHA256SUMS", .checksums),
    ("https://h.example/files.jsonl", .lines),
  ]

  @Test(arguments: examples)
  func `a text names a source of its kind`(text: String, kind: CollectionSource.Kind) throws {
    let named = CollectionSource.named(text, in: CollectionEnvironment([:]))
    let source = try #require(try named?.get())
    #expect(source.kind == kind)
    #expect(source.adapter()?.first.url == source.url)
  }

  @Test(arguments: ["", "https://h.example/", "https://h.example/x.iso", "/etc/passwd"])
  func `a text that names no source is none`(text: String) {
    #expect(CollectionSource.named(text, in: CollectionEnvironment([:])) == nil)
  }

  @Test func `a text of a kind with something wrong in it is a problem`() {
    #expect(throws: ListingProblem.self) {
      try CollectionSource.named("s3://X/", in: CollectionEnvironment([:]))?.get()
    }
  }

  @Test(arguments: CollectionSource.Kind.allCases)
  func `a source of another kind has no adapter`(kind: CollectionSource.Kind) throws {
    let url = try TransferURL.parse("https://h.example/x").get().url
    #expect(CollectionSource(kind, name: "nonsense", url: url).adapter() == nil)
  }
}
