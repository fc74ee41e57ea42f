import Testing

@testable import KettleModel

struct ChecksumListTests {
  private static let sha256 = String(repeating: "ab", count: 32)
  private static let other = String(repeating: "cd", count: 32)
  private static let sha1 = String(repeating: "1f", count: 20)

  private func found(_ text: String, _ names: String...) -> String? {
    ChecksumList(Array(text.utf8)).checksum(forOneOf: names)?.hex
  }

  @Test(arguments: [
    "\(sha256)  a.iso", "\(sha256) *a.iso", "\(sha256)\ta.iso", "\(sha256)  ./dir/a.iso",
    "SHA256 (a.iso) = \(sha256)", "SHA256 (dir/a.iso) = \(sha256)", sha256.uppercased() + "  a.iso",
    "sha256:\(sha256)", "\(sha256)\r\n",
    "\u{FEFF}\(sha256)  a.iso\r\n", "\u{FEFF}\(sha256)",
  ])
  func `a line has the digest of its file`(line: String) {
    #expect(found(line, "a.iso") == Self.sha256)
  }

  @Test func `the line of the file is chosen, and the strongest of several`() {
    let text = """
      -----BEGIN PGP SIGNED MESSAGE-----
      Hash: SHA256

      # a comment
      \(Self.other)  b.iso
      \(Self.sha1)  a.iso
      \(Self.sha256)  a.iso
      -----BEGIN PGP SIGNATURE-----
      """
    #expect(found(text, "a.iso") == Self.sha256)
    #expect(found(text, "b.iso") == Self.other)
    #expect(found(text, "c.iso", "b.iso") == Self.other)
    #expect(found(text, "c.iso") == nil)
  }

  @Test func `a name with escapes is read like sha256sum writes it`() {
    #expect(found("\\\(Self.sha256)  a\\\\b\\nc", "a\\b\nc") == Self.sha256)
  }

  @Test func `of two equally strong digests for a name the first counts`() {
    #expect(found("\(Self.sha256)  a/f\n\(Self.other)  b/f", "f") == Self.sha256)
  }

  @Test func `digests of other files count for none`() {
    #expect(found("\(Self.sha256)  b.iso", "a.iso") == nil)
    #expect(found("\(Self.sha256)\n\(Self.other)", "a.iso") == nil)
    #expect(found("<html>not a list</html>", "a.iso") == nil)
    #expect(ChecksumList(Array("<html>".utf8)).isEmpty)
  }
}
