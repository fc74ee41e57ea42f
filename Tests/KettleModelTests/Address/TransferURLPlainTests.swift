import SeededNumbers
import Testing

@testable import KettleModel

/// The fast parser must agree with the full one.
struct TransferURLPlainTests {
  private func plain(_ text: String) -> TransferURL? { TransferURL(plain: text.utf8.span) }

  @Test(arguments: [
    "https://example.org/pub/a.iso", "http://a", "http://a?x", "http://a#f", "https://h:8443/",
    "https://a.b-c_d.0:1/p?q?r#s?t", "https://example.org:443/a@b:c/%20?u=https://x/",
    "http://a./", "http://a:65535", "https://10.0.0.1/[x]", "https://example.org/a#b#c",
  ])
  func `the fast parser agrees with the full one`(text: String) throws {
    let quick = try #require(plain(text))
    let close = try TransferURL.parseClosely(text).get()
    #expect(quick == close.url)
    #expect(close.login == nil)
  }

  @Test(arguments: [
    "", "https://", "https:///", "http://?", "https://.a/", "https://a..b/", "https://a:/",
    "https://a:0/", "https://a:65536/", "https://a:000080/", "https://a:80x/", "https://u@a/",
    "https://u:p@a/", "https://a:80@b/", "https://[::1]/", "https://A/", "HTTPS://a/", "nfs://a/",
    " https://a/", "https://a/ ", "https://a/b c", "https://a/\\b", "https://a/\"", "https://a/ü",
    "https://ü/", "https://a/\u{7F}", "https://a/{x}", "https://a/#\n",
  ])
  func `everything else is left to the full parser`(text: String) {
    #expect(plain(text) == nil)
  }

  @Test func `a URL at the length limit is left to the full parser`() {
    let start = "https://a/"
    func url(_ count: Int) -> String {
      start + String(repeating: "x", count: count - start.utf8.count)
    }
    #expect(plain(url(TransferURL.byteCountMax)) == nil)
    #expect(plain(url(TransferURL.byteCountMax - 1)) != nil)
    #expect((try? TransferURL.parse(url(TransferURL.byteCountMax)).get()) != nil)
    #expect((try? TransferURL.parse(url(TransferURL.byteCountMax + 1)).get()) == nil)
  }

  @Test func `both parsers agree on random texts`() {
    let seed = UInt64.random(in: .min ... .max)
    var numbers = SeededGenerator(seed: seed)
    let parts = [
      "http", "https", "://", ":", "/", "//", "a", "b.c", ".", "-", "_", "80", "443", "0", "99999",
      "?", "#", "@", "[", "]", "%41", "%", "A", "ü", " ", "\\", "\"", "x=1&y", "{", "\t", "~", "!",
    ]
    var plainCount = 0
    for _ in 0..<20_000 {
      var text = Bool.random(using: &numbers) ? "https://a" : ""
      for _ in 0..<Int.random(in: 0...7, using: &numbers) {
        text += parts.randomElement(using: &numbers) ?? ""
      }
      guard let quick = plain(text) else { continue }
      plainCount += 1
      let close = try? TransferURL.parseClosely(text).get()
      #expect(close == TransferURL.Parsed(url: quick), "\(text), seed \(seed)")
    }
    #expect(plainCount > 100, "seed \(seed)")
  }
}
