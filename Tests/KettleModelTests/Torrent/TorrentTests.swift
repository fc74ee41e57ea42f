import Testing

@testable import KettleModel

struct TorrentTests {
  private static func string(_ text: String) -> String { "\(text.utf8.count):\(text)" }

  private func read(_ text: String) throws(TorrentProblem) -> TorrentFile {
    try TorrentFile.read(Array(text.utf8))
  }

  private func problem(_ text: String) -> TorrentProblem? {
    do {
      _ = try read(text)
      return nil
    } catch {
      return error
    }
  }

  /// A torrent of version 1 with pieces of four bytes, each with a digest of one letter.
  private func torrent(_ files: String, digests: String, seeds: String = "") -> String {
    let pieces = digests.map { String(repeating: $0, count: 20) }.joined()
    return "d4:infod\(files)4:name1:n12:piece lengthi4e6:pieces\(Self.string(pieces))e\(seeds)e"
  }

  private func file(_ byteCount: Int, _ path: String..., attr: String? = nil) -> String {
    let path = path.map(Self.string).joined()
    return "d\(attr.map { "4:attr" + Self.string($0) } ?? "")6:lengthi\(byteCount)e4:pathl\(path)ee"
  }

  private func letters(_ pieces: PieceHashes?) -> String {
    guard let pieces else { return "" }
    return String(
      decoding: (0..<pieces.count).compactMap { pieces.digest(of: $0)?.first }, as: UTF8.self)
  }

  @Test func `a single file has its size, its pieces and the URLs of its seeds`() throws {
    let read = try read(
      torrent(
        "6:lengthi10e", digests: "abc", seeds: "8:url-listl18:http://a.example/f14:http://b.ex/d/e")
    )
    let entry = try #require(read.entries.first)
    #expect(read.directory == nil)
    #expect(entry.path.text == "n")
    #expect(entry.byteCount == 10)
    #expect(entry.urls.map(\.url.text) == ["http://a.example/f", "http://b.ex/d/n"])
    let pieces = try #require(entry.pieces)
    #expect(letters(pieces) == "abc")
    #expect(pieces.range(of: 2) == ByteRange(lower: 8, upper: 10))
    #expect(pieces.coversAll)
    #expect(try read.sources().first?.pieces == pieces)
  }

  @Test func `a file has the pieces that lie wholly inside it`() throws {
    // Bytes 0-5, 6-15 and 16-16: the pieces are 0-3, 4-7, 8-11, 12-15 and 16.
    let read = try read(
      torrent(
        "5:filesl\(file(6, "a"))\(file(10, "d", "b"))\(file(1, "c"))\(file(0, "empty"))e",
        digests: "abcde"))
    #expect(read.directory?.text == "n")
    #expect(read.entries.map(\.path.text) == ["a", "d/b", "c", "empty"])
    #expect(read.entries.map { letters($0.pieces) } == ["a", "cd", "e", ""])
    let middle = try #require(read.entries[1].pieces)
    #expect(middle.covered == ByteRange(lower: 2, upper: 10))
    #expect(!middle.coversAll)
    #expect(middle.indices(touching: try #require(ByteRange(lower: 0, upper: 2))).isEmpty)
    #expect(middle.indices(touching: try #require(ByteRange(lower: 5, upper: 7))) == 0..<2)
  }

  @Test func `padding is no file, and its zeros complete the last piece before it`() throws {
    let read = try read(
      torrent(
        "5:filesl\(file(6, "a"))\(file(2, ".pad", "2", attr: "p"))\(file(3, "b"))e",
        digests: "abc"))
    #expect(read.entries.map(\.path.text) == ["a", "b"])
    #expect(read.entries.map { letters($0.pieces) } == ["ab", "c"])
    #expect(read.entries[0].pieces?.zeroByteCount == 2)
    #expect(read.entries[0].pieces?.zeroByteCount(of: 0) == 0)
    #expect(read.entries[1].pieces?.zeroByteCount == 0)
  }

  @Test func `seeds of several files lead to each of them, percent-encoded`() throws {
    let read = try read(
      torrent(
        "5:filesl\(file(4, "a b", "ü%#?.iso"))e", digests: "a",
        seeds: "8:url-list16:https://a.ex/x/y"))
    #expect(
      read.entries.first?.urls.map(\.url.text) == ["https://a.ex/x/y/n/a%20b/%C3%BC%25%23%3F.iso"])
  }

  @Test func `seeds that are no URL or use the keys of the user are left out`() throws {
    let read = try read(
      torrent(
        "6:lengthi1e", digests: "a",
        seeds: "8:url-listl4:ftp:0:17:sftp://a.example/i3e13:ftp://a.ex/f1e"))
    #expect(read.entries.first?.urls.map(\.url.text) == ["ftp://a.ex/f1"])
  }

  @Test func `a torrent without a web server is refused as a source`() throws {
    let read = try read(torrent("6:lengthi1e", digests: "a"))
    #expect(throws: TorrentProblem.noSeed) { try read.sources() }
  }

  @Test(arguments: [["..", "x"], ["."], [""], ["a/b"], ["a\0"], []])
  func `a path that leads out of the directory is refused`(path: [String]) {
    let names = path.map(Self.string).joined()
    #expect(
      problem(torrent("5:filesld6:lengthi4e4:pathl\(names)eee", digests: "a")) == .path)
  }

  @Test(arguments: ["", "ab", "aa"])
  func `pieces that do not fit the files are refused`(digests: String) {
    #expect(problem(torrent("6:lengthi4e", digests: digests)) == .pieces)
  }

  @Test func `sizes that overflow are refused`() {
    let most = "9223372036854775807"
    let files = "5:filesld6:lengthi\(most)e4:pathl1:aeed6:lengthi\(most)e4:pathl1:beee"
    #expect(problem(torrent(files, digests: "a")) == .pieces)
    #expect(problem(torrent("6:lengthi-1e", digests: "a")) == .pieces)
    #expect(problem(torrent("6:lengthi\(most)e", digests: "a")) == .pieces)
  }

  // MARK: Version 2

  private static func tree(
    _ files: String, layers: String = "", name: String = "n", also: String = ""
  ) -> String {
    "d4:infod9:file treed\(files)e12:meta versioni2e4:name\(string(name))"
      + "12:piece lengthi32768e\(also)e12:piece layersd\(layers)ee"
  }

  private func leaf(_ name: String, _ byteCount: Int, root: Character) -> String {
    Self.string(name) + "d0:d6:lengthi\(byteCount)e11:pieces root"
      + Self.string(String(repeating: root, count: 32)) + "ee"
  }

  @Test func `version 2 has a tree of files, each with its own pieces`() throws {
    let layer =
      Self.string(String(repeating: "r", count: 32))
      + Self.string(String(repeating: "x", count: 32) + String(repeating: "y", count: 32))
    let read = try read(
      Self.tree(
        "1:dd\(leaf("a", 40000, root: "r"))e\(leaf("small", 20000, root: "s"))", layers: layer))
    #expect(read.entries.map(\.path.text) == ["d/a", "small"])
    #expect(letters(read.entries[0].pieces) == "xy")
    #expect(read.entries[0].pieces?.form == .merkle)
    #expect(read.entries[0].pieces?.leafCount == 2)
    #expect(letters(read.entries[1].pieces) == "s")
    #expect(read.entries[1].pieces?.leafCount == 2)
  }

  @Test func `a single file of version 2 has the name of the torrent`() throws {
    let read = try read(Self.tree(leaf("n", 5, root: "r")))
    #expect(read.directory == nil)
    #expect(read.entries.first?.path.text == "n")
    #expect(read.entries.first?.pieces?.leafCount == 1)
  }

  @Test func `a file of version 2 without its layer is refused`() {
    #expect(problem(Self.tree(leaf("n", 40000, root: "r"))) == .pieces)
    #expect(problem(Self.tree("1:nd0:d6:lengthi5eee")) == .pieces)
  }

  @Test func `of both versions, the trees count`() throws {
    let pieces = "6:pieces20:aaaaaaaaaaaaaaaaaaaa"
    let read = try read(Self.tree(leaf("n", 5, root: "r"), also: "6:lengthi5e" + pieces))
    #expect(letters(read.entries.first?.pieces) == "r")
  }

  // MARK: Encoding

  @Test(arguments: [
    "", "x", "i", "ie", "i-e", "i01e", "i-0e", "i1", "i1x", "i99999999999999999999e", "1", "1:",
    "-1:", "01:a", "5:abc", "l", "d", "d1:a", "d1:ae", "di1e1:ae", "d1:ai1e1:ai2ee", "i1ei1e",
    "99999999999999999999:a", "9223372036854775807:a",
  ])
  func `bytes that are not the encoding are refused`(text: String) {
    switch problem(text) {
    case .encoding(.malformed): break
    default: Issue.record("\(text): \(String(describing: problem(text)))")
    }
  }

  @Test func `nesting and the number of values are bounded`() {
    let depth = 100_000
    #expect(
      problem(String(repeating: "l", count: depth) + String(repeating: "e", count: depth))
        == .encoding(.tooDeep))
    let count = BencodeReader.valueCountMax
    #expect(
      problem("l" + String(repeating: "i0e", count: count) + "e") == .encoding(.tooManyValues))
  }

  @Test func `what is no torrent says so`() {
    #expect(problem("de") == .notTorrent)
    #expect(problem("d4:infodee") == .notTorrent)
    #expect(problem("i1e") == .notTorrent)
    #expect(TorrentFile.isBegun(by: Array("d8:announce".utf8)))
    #expect(!TorrentFile.isBegun(by: Array("d41d8cd98f00b204e9800998ecf8427e  empty".utf8)))
  }
}
