import Testing

@testable import KettleModel

struct ManifestTests {
  private static let a = String(repeating: "a", count: 64)
  private static let b = String(repeating: "b", count: 64)
  private static let md5 = String(repeating: "c", count: 32)

  private func read(_ text: String) throws(ManifestProblem) -> [Manifest.Entry] {
    try Manifest.read(Array(text.utf8)).entries
  }

  private func problem(_ text: String) -> ManifestProblem? {
    do {
      _ = try read(text)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a list keeps directories, and all digests of a file`() throws {
    let entries = try read(
      """
      # a comment
      \(Self.a)  ./d/x.iso
      \(Self.b) *y.iso
      MD5 (d/x.iso) = \(Self.md5)
      SHA256 (d/x.iso) = \(Self.a)
      """)
    #expect(entries.map(\.path?.text) == ["d/x.iso", "y.iso"])
    #expect(entries[0].checksums.map(\.hex) == [Self.a, Self.md5])
  }

  @Test func `two digests that exclude each other both count`() throws {
    let entries = try read("\(Self.a)  x\n\(Self.b)  x")
    #expect(entries.map(\.checksums.count) == [2])
  }

  @Test func `digests of other algorithms with as many digits are not used`() {
    #expect(problem("SHA3-256 (x) = \(Self.a)\nBLAKE2s (x) = \(Self.a)") == .empty)
  }

  @Test func `a digest alone names no file`() throws {
    #expect(try read(Self.a).map(\.path) == [nil])
  }

  @Test(arguments: ["/etc/passwd", "../x", "a/../../x"])
  func `a path that leads out of the directory is refused`(path: String) {
    #expect(problem("\(Self.a)  x\n\(Self.a)  \(path)") == .outside(path))
  }

  @Test func `a Metalink and a torrent are recognized by their first bytes`() throws {
    let metalink = """
      <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="d/f"><size>3</size>
      <hash type="md5">\(Self.md5)</hash><url>http://a.example/</url></file></metalink>
      """
    let entry = try #require(try read(metalink).first)
    #expect(entry.path?.text == "d/f")
    #expect(entry.byteCount == 3)
    #expect(entry.checksums.map(\.hex) == [Self.md5])
    let torrent =
      "d4:infod5:filesld6:lengthi4e4:pathl1:d1:feee4:name1:n12:piece lengthi4e6:pieces20:"
      + String(repeating: "x", count: 20) + "ee"
    #expect(try read(torrent).map(\.path?.text) == ["n/d/f"])
    #expect(try read(torrent).first?.pieces?.count == 1)
    #expect(problem("d4:infodee") == .torrent(.notTorrent))
    #expect(problem("<html/>") == .metalink(.notMetalink))
    #expect(problem("") == .empty)
    #expect(problem("text") == .empty)
  }
}
