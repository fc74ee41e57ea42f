import SeededNumbers
import Testing

@testable import KettleModel

/// The fast path must return the same name as the sanitizer.
struct FileNamePlainTests {
  private func plain(_ path: String) -> String? {
    FileName.plainLastSegment(of: path.utf8.span)
  }

  @Test(arguments: [
    ("/a.iso", "a.iso"), ("/pub/linux-6.1_rc+2.tar.gz", "linux-6.1_rc+2.tar.gz"), ("/x/0", "0"),
    ("/control.txt", "control.txt"),
  ])
  func `a plain name is used unchanged`(path: String, name: String) {
    #expect(plain(path) == name)
  }

  @Test(arguments: [
    "/", "", "/a/", "/.bashrc", "/-rf", "/~x", "/_", "/a.", "/a%20b", "/a b", "/con.txt", "/NUL",
    "/lpt1", "/com1.tar.gz", "/a:b", "/a;b", "/a\\b",
  ])
  func `a name that may need changes is left to the sanitizer`(path: String) {
    #expect(plain(path) == nil)
  }

  @Test func `a name that may need truncation is left to the sanitizer`() {
    let longest = String(repeating: "x", count: FileName.sanitizedByteCountMax)
    #expect(plain("/" + longest) == longest)
    #expect(plain("/x" + longest) == nil)
  }

  @Test func `both methods agree on random paths`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var numbers = SeededGenerator(seed: seed)
    let parts = ["a", "B", "7", ".", "-", "_", "+", "/", "con", "lpt", "1", "%2F", "~", "=", "nul"]
    var plainCount = 0
    for _ in 0..<10_000 {
      var path = "/"
      for _ in 0..<Int.random(in: 0...6, using: &numbers) {
        path += parts.randomElement(using: &numbers) ?? ""
      }
      guard let quick = plain(path) else { continue }
      plainCount += 1
      let url = try TransferURL.parse("https://example.org" + path).get().url
      #expect(FileName.sanitizedLastSegment(of: url) == quick, "\(path), seed \(seed)")
    }
    #expect(plainCount > 100, "seed \(seed)")
  }
}
