import SeededNumbers
import Testing

@testable import KettleModel

struct TransferURLParseTests {
  private func text(_ url: String) -> String? {
    try? TransferURL.parse(url).get().url.text
  }

  @Test(arguments: [
    ("example.org/a", "https://example.org/a"), ("localhost:8000/a", "http://localhost:8000/a"),
    ("127.0.0.1:8765/a", "http://127.0.0.1:8765/a"), ("1.example.org/a", "https://1.example.org/a"),
    ("http://example.org/a", "http://example.org/a"),
  ])
  func `a URL as people type it`(typed: String, url: String) throws {
    #expect(try TransferURL.parse(typed: typed).get().url.text == url)
  }

  private func problem(_ url: String) -> TransferURLProblem? {
    switch TransferURL.parse(url) {
    case .success: nil
    case .failure(let problem): problem
    }
  }

  @Test(arguments: [
    ("http://example.org", "http://example.org/"),
    ("HTTPS://Example.ORG/A", "https://example.org/A"),
    ("http://example.org:80/", "http://example.org/"),
    ("https://example.org:443/", "https://example.org/"),
    ("http://example.org:443/", "http://example.org:443/"),
    ("http://example.org:/x", "http://example.org/x"),
    ("http://example.org:008080/x", "http://example.org:8080/x"),
    ("http://example.org?q", "http://example.org/?q"),
    ("http://example.org#part", "http://example.org/"),
    ("http://example.org/?", "http://example.org/?"),
    ("http://example.org/a#b?c", "http://example.org/a"),
    ("http://example.org/a?b#c", "http://example.org/a?b"),
    ("http://example.org/a?b?c", "http://example.org/a?b?c"),
    ("  \thttp://example.org/a\r\n", "http://example.org/a"),
    ("http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x"),
    ("http://[::1]:8080/x", "http://[::1]:8080/x"),
    ("http://[2001:DB8::FF]/", "http://[2001:db8::ff]/"),
    ("http://[::ffff:1.2.3.4]/", "http://[::ffff:1.2.3.4]/"),
    ("http://[FE80::1%25enP1s0]:80/x", "http://[fe80::1%25enP1s0]/x"),
    ("http://under_score.example/", "http://under_score.example/"),
    ("http://example.org./", "http://example.org./"),
    ("http://bücher.example/", "http://bücher.example/"),
    ("http://例え.テスト/", "http://例え.テスト/"),
    ("http://example.org/ä", "http://example.org/%C3%A4"),
    ("http://example.org/?q=ä", "http://example.org/?q=%C3%A4"),
    ("http://example.org/%C3%a4%", "http://example.org/%C3%a4%"),
    ("http://example.org/a|b<c>\"d\"^`{e}", "http://example.org/a%7Cb%3Cc%3E%22d%22%5E%60%7Be%7D"),
    ("http://example.org/a[1]!$&'()*+,;=:@~", "http://example.org/a[1]!$&'()*+,;=:@~"),
    ("http://example.org//a//b/", "http://example.org//a//b/"),
  ])
  func `a URL has one canonical form`(given: String, kept: String) {
    #expect(text(given) == kept)
  }

  @Test(
    arguments: [
      ("", .empty), (" \n\t", .empty),
      ("http://exa mple.org/", .characterForbidden(" ")),
      ("http://example.org/a b", .characterForbidden(" ")),
      ("http://example.org\\@evil.example/", .characterForbidden("\\")),
      ("http://example.org/\\\u{301}", .characterForbidden("\\")),
      ("http://example.org/a\r\nHost: x", .controlCharacter),
      ("http://example.org/\u{0}", .controlCharacter),
      ("http://example.org/\u{7F}", .controlCharacter),
      ("http://example.org/\u{9B}31m", .controlCharacter),
      ("example.org/file", .schemeMissing), ("example.org:8080/file", .schemeMissing),
      ("localhost:8080/file", .schemeMissing), ("//example.org/", .schemeMissing),
      ("://example.org/", .schemeMissing), ("http:", .schemeMissing),
      ("http:/example.org/", .schemeMissing), ("http:example.org", .schemeMissing),
      ("example.org/?u=http://other.example/", .schemeMissing), ("/etc/passwd", .schemeMissing),
      ("nfs://example.org/", .schemeUnsupported("nfs")),
      ("FILE:///etc/passwd", .schemeUnsupported("file")),
      ("magnet:?xt=urn:btih:0", .schemeUnsupported("magnet")),
      ("javascript:alert()", .schemeUnsupported("javascript")),
      ("httpſ://example.org/", .schemeMissing),
      ("http://", .hostMissing), ("http:///path", .hostMissing), ("http://?q", .hostMissing),
      ("http://:80/", .hostMissing), ("http://user@/", .hostMissing), ("http://@:1/", .hostMissing),
    ] as [(String, TransferURLProblem)])
  func `a URL that cannot be fetched is rejected with the reason`(
    given: String, expected: TransferURLProblem
  ) {
    #expect(problem(given) == expected)
  }

  @Test(arguments: [
    "http://.example.org/", "http://exa%6Dple.org/", "http://example.org%2F/", "http://[::1/",
    "http://::1]/", "http://[]/", "http://[/", "http://]/", "http://[1.2.3.4]/", "http://[::1]x/",
    "http://[::1%25eth0]/", "http://[fe80::1%eth0]/", "http://[fe80::1%25]/",
    "http://[fe80::1%25a%2Fb]/", "http://[::g]/", "http://a[::1]/", "http://exa*mple.org/",
    "http://exa,mple.org/", "http://a;b/", "http://a'b/", "http://a\"b/", "http://a<b/",
    "http://good.example\u{FF0F}.evil.example/", "http://good.example\u{FF20}evil.example/",
    "http://a\u{2100}b.example/", "http://a\u{FF1A}80/", "http://a\u{3002}b/", "http://a\u{200B}b/",
    "http://a\u{202E}b/", "http://a\u{2488}b/", "http://a\u{00AD}b/", "http://\u{1F600}.example/",
    "http://user@\u{301}host/", "http://a.\u{301}b/", "http://a..b/",
  ])
  func `a host that another parser could read differently is rejected`(given: String) {
    #expect(problem(given) == .hostMalformed)
  }

  @Test(arguments: [
    "http://h:0/", "http://h:65536/", "http://h:-1/", "http://h:+80/", "http://h:8 0",
    "http://h:80a/",
    "http://h:80:80/", "http://h:99999999999999999999/", "http://h:٨٠/", "http://[::1]:x/",
    "http://1:2:3/",
  ])
  func `a port is a number from 1 to 65535`(given: String) {
    let found = problem(given)
    #expect(found == .portMalformed || found == .characterForbidden(" "))
  }

  @Test func `a combining mark after a delimiter does not hide it`() throws {
    let url = try TransferURL.parse("http://h/a?\u{301}b#\u{301}c").get().url
    #expect(url.path == "/a")
    #expect(url.query == "%CC%81b")
    #expect(try TransferURL.parse("http://h/a/\u{301}b").get().url.path == "/a/%CC%81b")
    #expect(try TransferURL.parse("http://h?\u{301}").get().url.text == "http://h/?%CC%81")
  }

  @Test func `a stored URL parses as the same URL`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let alphabet: [Character] = Array("aZ9/?#:@[]%.-_~!$&'()*+,;=|<>\"^`{}ä例\u{301}\u{FF0F}")
    var acceptedCount = 0
    for _ in 0..<5_000 {
      let count = Int.random(in: 0...24, using: &random)
      let tail = String((0..<count).compactMap { _ in alphabet.randomElement(using: &random) })
      guard let url = try? TransferURL.parse("http://h" + tail).get().url else { continue }
      acceptedCount += 1
      let again = try TransferURL.parse(url.text).get()
      #expect(again.url == url, "seed \(seed), tail \(tail.debugDescription)")
      #expect(again.login == nil, "seed \(seed), tail \(tail.debugDescription)")
      #expect(url.path.utf8.first == UInt8(ascii: "/"))
      #expect((url.path + (url.query ?? "")).utf8.allSatisfy { $0 > 32 && $0 < 127 })
    }
    #expect(acceptedCount > 500)
  }

  @Test func `the length limit holds before and after encoding`() throws {
    let start = "http://example.org/"
    let room = TransferURL.byteCountMax - start.utf8.count
    #expect(problem(start + String(repeating: "a", count: room)) == nil)
    #expect(problem(start + String(repeating: "a", count: room + 1)) == .tooLong)
    #expect(problem(start + String(repeating: "ä", count: room / 6)) == nil)
    #expect(problem(start + String(repeating: "ä", count: room / 6 + 1)) == .tooLong)
  }
}
