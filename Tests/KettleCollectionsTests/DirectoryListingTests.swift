import KettleModel
import Testing

@testable import KettleCollections

/// Directories of servers of files.
struct DirectoryListingTests {
  private func source(_ text: String) throws -> CollectionSource? {
    try DirectoryListing.source(named: text, in: CollectionEnvironment([:]))?.get()
  }

  private func read(
    _ lines: [String], of text: String = "ftp://h.example/pub/"
  ) throws -> ListingPage {
    let source = try #require(try source(text))
    let listing = try #require(DirectoryListing(source))
    let bytes = Array(lines.map { $0 + "\r\n" }.joined().utf8)
    return try listing.read(ListingAnswer(listing.first.url, bytes), to: listing.first)
  }

  @Test(arguments: [
    ("ftp://h.example/pub/data/", "ftp://h.example/pub/data"),
    ("sftp://anna@h.example/home/anna//", "sftp://h.example/home/anna"),
    ("FTPS://h.example:2121/", "ftps://h.example:2121/"),
  ])
  func `a URL with a slash at its end is a directory`(text: String, url: String) throws {
    let source = try #require(try source(text))
    #expect(source.url.text == url)
    #expect(source.name == (url.hasSuffix("/") ? url : url + "/"))
    #expect(DirectoryListing(source)?.first == ListingRequest(source.url))
  }

  @Test(arguments: ["ftp://h.example/a", "https://h.example/a/", "ftp://", "ftp:///", "/a/", "///"])
  func `any other text is none`(text: String) throws {
    #expect(try source(text) == nil)
  }

  @Test func `the login of a directory is not in its name`() throws {
    #expect(try source("ftp://anna:pw@h.example/a/")?.name == "ftp://h.example/a/")
    let login = CollectionSource.login(in: "ftp://anna:pw@h.example/a/")
    #expect(login == Login(user: "anna", password: "pw"))
  }

  @Test(arguments: [
    ("-rw-r--r--   1 ftp      ftp          1234 Jun 12 10:00 a b.bin", "a b.bin", 1234),
    ("-rw-r--r--   1 ftp      ftp          1234 Jun  2  2024  two", " two", 1234),
    ("-rw-r--r--+  1 0        99             12 Dec 31  1:05 x", "x", 12),
    ("-rw-r--r--   1 ftp 77 Jan 1 2020 without group", "without group", 77),
    ("-rw-r--r-- 1 u g 5 2025-06-12 10:00 iso", "iso", 5),
    ("-r--r--r--   1 owner group  9 May 12 2012 5 Jun 12 10:00 y", "5 Jun 12 10:00 y", 9),
    ("06-12-25  10:00AM              1234 Report 1.pdf", "Report 1.pdf", 1234),
    ("06-12-2025  10:00              1234 r", "r", 1234),
  ])
  func `a line names a file`(line: String, name: String, byteCount: Int64) throws {
    let found = try #require(DirectoryLine(Array(line.utf8)[...]))
    #expect(String(decoding: found.name, as: UTF8.self) == name)
    #expect(found.kind == .file(byteCount: byteCount))
  }

  @Test func `the stamp of a file is the same half a year later`() throws {
    func stamp(_ date: String) -> String? {
      DirectoryLine(Array("-rw-r--r-- 1 u g 5 \(date) a".utf8)[...])?.stamp
    }
    #expect(stamp("Jun 12 10:00") == "Jun 12")
    #expect(stamp("Jun 12  2025") == "Jun 12")
    #expect(stamp("Jun 13 10:00") != stamp("Jun 12 10:00"))
  }

  @Test func `files and directories are told apart, and links are left out`() throws {
    let page = try read([
      "total 12", "drwxr-xr-x 3 u g 4096 Jun 12 10:00 .", "drwxr-xr-x 3 u g 4096 Jun 12 10:00 ..",
      "drwxr-xr-x 3 u g 4096 Jun 12 10:00 s\u{FC}b dir", "-rw-r--r-- 1 u g 5 Jun 12 10:00 a?#.b",
      "lrwxrwxrwx 1 u g 3 Jun 12 10:00 latest -> a", "-rw-r--r-- 1 u g 6 Jun 12 10:00 a?#.b",
      "06-12-25  10:00AM       <DIR>          win", "something else",
    ])
    #expect(page.members.map(\.path.text) == ["a_#.b"])
    #expect(page.members.map(\.url.text) == ["ftp://h.example/pub/a%3F%23.b"])
    #expect(page.members.map(\.byteCount) == [5])
    #expect(
      page.further.map(\.url.text)
        == ["ftp://h.example/pub/s%C3%BCb%20dir", "ftp://h.example/pub/win"])
    #expect(page.further.map(\.directory) == [["s\u{FC}b dir"], ["win"]])
    #expect(page.further.allSatisfy { $0.depth == 1 })
    #expect(page.refusedCount == 1)
  }

  @Test(arguments: ["..", "../x", "a/b", "/etc/passwd", "...", "a/../../b"])
  func `hostile names lead nowhere`(name: String) throws {
    for kind in ["-", "d"] {
      let page = try read(["\(kind)rw-r--r-- 1 u g 5 Jun 12 10:00 \(name)"])
      #expect(page.members.isEmpty && page.further.isEmpty)
    }
  }

  @Test func `a name of other bytes keeps them in its URL`() throws {
    let source = try #require(try source("ftp://h.example/"))
    let listing = try #require(DirectoryListing(source))
    let bytes = Array("-rw-r--r-- 1 u g 5 Jun 12 10:00 caf".utf8) + [0xE9, 10]
    let page = try listing.read(ListingAnswer(listing.first.url, bytes), to: listing.first)
    #expect(page.members.map(\.url.text) == ["ftp://h.example/caf%E9"])
  }

  @Test func `an unknown form is a problem, and an empty directory is none`() throws {
    #expect(try read([]).members.isEmpty)
    #expect(try read(["total 0"]).members.isEmpty)
    #expect(throws: ListingProblem.self) { try read(["+i8388621.48594,m825718503,r,s280,\tdj"]) }
  }
}
