import KettleModel
import SeededNumbers
import Testing

@Suite struct FileNameChoiceTests {
  private func url(_ text: String) throws -> TransferURL {
    try TransferURL.parse(text).get().url
  }

  /// Returns the rule that a name from outside violates.
  private func complaint(about name: String) -> String? {
    if name.isEmpty { return "empty" }
    if name.utf8.count > 243 { return "too long for its numbered partial file" }
    if name.contains("/") || name.contains("\\") { return "a separator" }
    if name.hasPrefix(".") || name.hasPrefix("-") || name.hasPrefix("~") { return "its beginning" }
    if name.hasSuffix(".") || name.hasSuffix(" ") { return "its end" }
    for scalar in name.unicodeScalars where scalar.isControl || scalar.isInvisible {
      return "U+\(String(scalar.value, radix: 16))"
    }
    return nil
  }

  // MARK: Names from servers

  @Test func `hostile names are made safe`() {
    #expect(HostileNames.all.count >= 150)
    for (given, expected) in HostileNames.all {
      #expect(FileName.sanitized(given) == expected, "\(given.debugDescription)")
    }
  }

  @Test
  func `every sanitized name obeys the rules, and sanitizing it again changes nothing`() {
    for (given, _) in HostileNames.all {
      guard let name = FileName.sanitized(given) else { continue }
      #expect(complaint(about: name) == nil, "\(given.debugDescription)")
      #expect(FileName.sanitized(name) == name, "\(given.debugDescription)")
    }
  }

  @Test func `random text never becomes an unsafe name`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "/", "\\", ".", "..", "-", "~", " ", "\u{0}", "\u{1B}", "\u{202E}", "\u{200B}",
      "a", "é", "日", "👍🏽", "con", ".tar", ".gz", "%2f", "\u{301}", "\u{85}", "\u{A0}", ":", "|",
    ]
    for _ in 0..<3000 {
      let count = Int.random(in: 0...60, using: &random)
      let given = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      if let name = FileName.sanitized(given) {
        #expect(complaint(about: name) == nil, "seed \(seed): \(given.debugDescription)")
      }
      _ = FileName.fromContentDisposition(given)
    }
  }

  @Test func `noncharacters are replaced`() throws {
    for value: UInt32 in [0xFFFE, 0xFFFF, 0x1FFFE, 0xFDD0, 0x10FFFF] {
      let scalar = try #require(Unicode.Scalar(value))
      #expect(FileName.sanitized("a\(Character(scalar))b") == "a_b")
    }
  }

  // MARK: Length

  @Test func `a long name is truncated and keeps its extension`() throws {
    let name = try #require(FileName.sanitized(String(repeating: "x", count: 400) + ".tar.gz"))
    #expect(name == String(repeating: "x", count: 243 - 7) + ".tar.gz")
  }

  @Test func `a long name is truncated between two characters`() throws {
    let name = try #require(FileName.sanitized(String(repeating: "日", count: 100) + ".zip"))
    #expect(name == String(repeating: "日", count: 79) + ".zip")
    let family = try #require(FileName.sanitized(String(repeating: "👍🏽", count: 60)))
    #expect(family == String(repeating: "👍🏽", count: 30))
  }

  @Test func `a letter with hundreds of combining marks is truncated`() throws {
    let name = try #require(
      FileName.sanitized("a" + String(repeating: "\u{301}", count: 400) + ".txt"))
    #expect(name.utf8.count <= 243)
    #expect(name.hasSuffix(".txt"))
    #expect(name.unicodeScalars.starts(with: "a\u{301}\u{301}".unicodeScalars))
  }

  @Test func `a truncated name does not end with a blank or a dot`() throws {
    let given = String(repeating: "x", count: 242) + " yyyy"
    #expect(FileName.sanitized(given) == String(repeating: "x", count: 242))
  }

  @Test func `a name with 100,000 path components is sanitized`() {
    let name = FileName.sanitized(String(repeating: "../", count: 100_000) + "x")
    #expect(name == "x")
  }

  // MARK: Numbers

  @Test(arguments: [
    ("file.iso", "file (2).iso"), ("a.tar.gz", "a (2).tar.gz"), ("a.TAR.xz", "a (2).TAR.xz"),
    ("README", "README (2)"), (".profile", ".profile (2)"), (".x.y", ".x (2).y"),
    ("Version 1.2", "Version 1.2 (2)"), ("Dr. Strange and others", "Dr. Strange and others (2)"),
    ("x.tar", "x (2).tar"), (".tar.gz", ".tar (2).gz"), ("a.", "a. (2)"),
    ("a (2).txt", "a (2) (2).txt"),
    ("archive.part1.rar", "archive.part1 (2).rar"), ("é.日本", "é (2).日本"),
    ("a.averyveryverylongextension", "a.averyveryverylongextension (2)"),
  ])
  func `a number precedes the extension`(_ name: String, _ expected: String) {
    #expect(FileName.numbered(name, 2) == expected)
  }

  @Test func `the longest names leave room for any number and the partial suffix`() throws {
    let server = try #require(FileName.sanitized(String(repeating: "x", count: 400) + ".iso"))
    let ofServer = FileName.numbered(server, FileName.numberMax)
    #expect(ofServer == String(server.dropLast(4)) + " (9999).iso")
    #expect((ofServer + FileName.partialSuffix).utf8.count <= 255)
    let ofUser = FileName.numbered(String(repeating: "日", count: 83), FileName.numberMax)
    #expect((ofUser + FileName.partialSuffix).utf8.count <= 255)
    #expect(ofUser.hasSuffix("日 (9999)"))
  }

  @Test func `the candidates start with the name itself and are distinct`() {
    let names = Array(FileName.candidates(for: "a.txt"))
    #expect(names.prefix(3) == ["a.txt", "a (2).txt", "a (3).txt"])
    #expect(names.count == 9999)
    #expect(Set(names).count == 9999)
  }

  @Test(arguments: [0, 1, 2, 3, 7, 1000, 4095, 4096, 5000, 9998])
  func `few of many taken names are asked for`(takenCount: Int) throws {
    let taken = Set(FileName.candidates(for: "a.txt").prefix(takenCount))
    var askedCount = 0
    let names = FileName.candidates(for: "a.txt") { name in
      askedCount += 1
      return taken.contains(name)
    }
    let free = FileName.candidates(for: "a.txt").dropFirst(takenCount)
    #expect(Array(names) == Array(free))
    #expect(askedCount <= 28)
  }

  @Test func `a gap between taken names is no reason to give up`() {
    let names = Array(FileName.candidates(for: "a.txt"))
    let taken = Set(names.enumerated().filter { $0.offset % 5 != 2 }.map(\.element))
    let found = FileName.candidates(for: "a.txt") { taken.contains($0) }
    #expect(found.first { !taken.contains($0) } != nil)
    #expect(Array(FileName.candidates(for: "a.txt") { _ in true }) == [names[9998]])
  }

  // MARK: URLs

  @Test(arguments: [
    ("https://h/a/file.iso", "file.iso"), ("https://h/a%20b.txt", "a b.txt"),
    ("https://h/x?name=../y", "x"), ("https://h/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "passwd"),
    ("https://h/a%5C..%5Cb.txt", "b.txt"), ("https://h/%00x", "_x"), ("https://h/a%0Ab", "a_b"),
    ("https://h/%E2%80%AEgnp.exe", "_gnp.exe"), ("https://h/%FFx", "_x"),
    ("https://h/%C3%9Cber.pdf", "Über.pdf"), ("https://h/Über.pdf", "Über.pdf"),
    ("https://h/100%25.txt", "100%.txt"), ("https://h/100%.txt", "100%.txt"),
    ("https://h/a%2", "a%2"), ("https://h/a%zz", "a%zz"), ("https://h/%2Ebashrc", "_bashrc"),
    ("https://h/-rf", "_rf"), ("https://h/a;v=1", "a;v=1"),
  ])
  func `the last segment of a URL is the name`(_ text: String, _ expected: String) throws {
    #expect(try FileName.fromURL(url(text)) == expected)
  }

  @Test(arguments: [
    "https://h", "https://h/", "https://h/dir/", "https://h/..", "https://h/%2e%2e",
    "https://h/%2f", "https://h/?file=x.iso", "https://h/%20",
  ])
  func `a URL without a last segment gives no name`(_ text: String) throws {
    #expect(try FileName.fromURL(url(text)) == nil)
  }

  // MARK: The choice

  @Test func `the user's name takes precedence, then the server's, then the URL's`() throws {
    let url = try url("https://h/from-url.iso")
    let disposition = "attachment; filename=\"from-server.iso\""
    #expect(
      try FileName.chosen(
        given: FileName(typed: "mine.iso"), contentDisposition: disposition, url: url)
        == "mine.iso")
    #expect(
      FileName.chosen(given: nil, contentDisposition: disposition, url: url)
        == "from-server.iso")
    #expect(
      FileName.chosen(given: nil, contentDisposition: "inline", url: url) == "from-url.iso")
  }

  @Test func `without any name the file is called download`() throws {
    let url = try url("https://h/")
    #expect(
      FileName.chosen(given: nil, contentDisposition: "attachment; filename=\"..\"", url: url)
        == "download")
  }

  @Test func `dots, dashes and blanks in the user's name are kept`() throws {
    let url = try url("https://h/x")
    for name in [".bashrc", "-rf", "a:b", " x ", "con"] {
      let given = try FileName(typed: name)
      #expect(FileName.chosen(given: given, contentDisposition: nil, url: url) == name)
    }
  }

  // Fault 151
  @Test func `an invalid name in a record never becomes a path`() throws {
    let url = try url("https://h/x.iso")
    func chosen(_ text: String) -> String {
      let recorded = FileName(recorded: text, .user)
      return FileName.chosen(given: recorded, contentDisposition: nil, url: url)
    }
    #expect(chosen("../y") == "y")
    #expect(chosen("..") == "x.iso")
    #expect(chosen("") == "x.iso")
  }
}
