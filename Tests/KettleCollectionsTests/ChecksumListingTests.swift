import KettleModel
import Testing

@testable import KettleCollections

struct ChecksumListingTests {
  private static let md5 = String(repeating: "1", count: 32)
  private static let sha1 = String(repeating: "2", count: 40)
  private static let sha256 = String(repeating: "3", count: 64)
  private static let sha512 = String(repeating: "4", count: 128)
  private static let list = "https://h.example/pub/SHA256SUMS"

  private func source(_ text: String) -> CollectionSource? {
    try? ChecksumListing.source(named: text, in: CollectionEnvironment([:]))?.get()
  }

  private func read(
    _ text: String, of list: String = list, answeredBy other: String? = nil
  ) throws -> ListingPage {
    let source = try #require(self.source(list))
    let listing = try #require(ChecksumListing(source))
    let url = try TransferURL.parse(other ?? list).get().url
    return try listing.read(ListingAnswer(url, Array(text.utf8)), to: listing.first)
  }

  @Test(arguments: [
    "https://h.example/SHA256SUMS", "http://h.example/x/sha512sums", "https://h.example/SHA1SUMS",
    "https://h.example/SHA224SUMS", "https://h.example/SHA384SUMS?x=1", "https://h.example/MD5SUMS",
    "https://h.example/sha256sum.txt", "https://h.example/SHA256SUMS.TXT",
    "https://h.example/md5sum.txt", "https://h.example/sha1sums.txt", "https://h.example/CHECKSUMS",
    "https://h.example/CHECKSUM", "https://h.example/v1.2.sha256sums",
    "https://h.example/all.sha512sums", "https://h.example/all.md5sums",
  ])
  func `the URL of a list is a source`(text: String) throws {
    let source = try #require(self.source(text))
    #expect(source.kind == .checksums)
    #expect(source.name == text)
    #expect(source.url.text == text)
    let listing = try #require(ChecksumListing(source))
    #expect(listing.first == ListingRequest(source.url))
    #expect(listing.byteCountMax == ChecksumList.byteCountMax)
  }

  @Test(arguments: [
    "https://h.example/", "https://h.example/SHA256SUMS/", "https://h.example/SHA256SUMS.gpg",
    "https://h.example/mySHA256SUMS", "https://h.example/x.sha256", "https://h.example/SHA3SUMS",
    "ftp://h.example/SHA256SUMS", "SHA256SUMS", "", "https://h.example/x?SHA256SUMS",
  ])
  func `other text is not a source`(text: String) {
    #expect(ChecksumListing.source(named: text, in: CollectionEnvironment([:])) == nil)
  }

  @Test func `a record that others changed is refused`() throws {
    var other = try #require(source(Self.list))
    other.name = "https://h.example/other"
    #expect(ChecksumListing(other) == nil)
    other = try #require(source(Self.list))
    other.kind = .lines
    #expect(ChecksumListing(other) == nil)
  }

  // https://www.gnu.org/software/coreutils/manual/html_node/cksum-output-modes.html
  @Test func `each line with a name is a file beside the list`() throws {
    let page = try read(
      """
      # made by hand
      \(Self.sha256)  disk.iso
      \(Self.sha256) *./sub dir/a#b.bin\r
      SHA512 (image.raw) = \(Self.sha512)
      \(Self.md5)
      """)
    #expect(page.members.map(\.path.text) == ["disk.iso", "sub dir/a#b.bin", "image.raw"])
    #expect(
      page.members.map(\.url.text) == [
        "https://h.example/pub/disk.iso", "https://h.example/pub/sub%20dir/a%23b.bin",
        "https://h.example/pub/image.raw",
      ])
    #expect(page.members.map(\.checksum?.algorithm) == [.sha256, .sha256, .sha512])
    #expect(page.members.allSatisfy { $0.byteCount == nil })
    #expect(page.refusedCount == 0 && page.further.isEmpty && page.version == nil)
  }

  @Test func `a file in several lists has the strongest digest`() throws {
    let page = try read(
      """
      \(Self.sha1)  a
      \(Self.md5)  b
      \(Self.sha512)  a
      \(Self.sha256)  a
      """)
    #expect(page.members.map(\.path.text) == ["a", "b"])
    #expect(page.members.map(\.checksum?.algorithm) == [.sha512, .md5])
  }

  @Test func `names that become one path stay two files`() throws {
    let page = try read("\(Self.md5)  a:b\n\(Self.md5)  a?b\n")
    #expect(page.members.map(\.path.text) == ["a_b", "a_b"])
    #expect(
      page.members.map(\.url.text) == [
        "https://h.example/pub/a%3Ab", "https://h.example/pub/a%3Fb",
      ])
  }

  @Test func `files are beside the list that answers`() throws {
    let line = "\(Self.md5)  a\n"
    let mirror = try read(line, answeredBy: "https://mirror.example/x/SHA256SUMS")
    #expect(mirror.members.map(\.url.text) == ["https://mirror.example/x/a"])
    let store = try read(line, answeredBy: "https://store.example/4711?token=1")
    #expect(store.members.map(\.url.text) == ["https://h.example/pub/a"])
  }

  @Test func `paths that lead elsewhere are refused and counted`() throws {
    let names = [
      "../x", "/etc/passwd", "a/../../x", "//other.example/x", "https://other.example/../x", "..",
    ]
    let page = try read(names.map { "\(Self.md5)  \($0)" }.joined(separator: "\n"))
    #expect(page.members.isEmpty)
    #expect(page.refusedCount == names.count)
    let named = try read("\(Self.md5)  https://other.example/x")
    #expect(
      named.members.map(\.url.text) == ["https://h.example/pub/https%3A//other.example/x"])
  }

  @Test(arguments: ["", "<html></html>", "abc  name", "{}", String(repeating: "1", count: 64)])
  func `a document without a name is refused`(text: String) {
    #expect(throws: ListingProblem("it has no line with a checksum and a name")) {
      try read(text)
    }
  }

  @Test func `a long list takes little time`() throws {
    let lines = (0..<5_000).map { "\(Self.sha256)  dir \($0 % 100)/file \($0)" }
    #expect(try read(lines.joined(separator: "\n")).members.count == 5_000)
    let same = Array(repeating: "\(Self.sha256)  a", count: 20_000)
    #expect(try read(same.joined(separator: "\n")).members.count == 1)
  }
}
