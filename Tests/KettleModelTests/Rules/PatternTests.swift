import KettleModel
import SeededNumbers
import Testing

struct PatternTests {
  @Test(arguments: [
    ("*.iso", "debian.iso", true), ("*.iso", "DEBIAN.ISO", true),
    ("*.iso", "debian.iso.txt", false),
    ("*.iso", ".iso", true), ("debian-*", "debian-12.iso", true), ("debian-*", "xdebian-12", false),
    ("a?c", "abc", true), ("a?c", "ac", false), ("a?c", "aéc", true), ("*", "", true),
    ("a*b*c", "aXbXbXc", true), ("a*b*c", "acb", false), ("**a", "ba", true), ("a", "a", true),
    ("a", "ab", false), ("[a]", "[a]", true), ("[a]", "a", false), ("?", "", false),
  ])
  func `a pattern stands for whole names`(pattern: String, name: String, isMatch: Bool) throws {
    #expect(try #require(NamePattern(pattern)).matches(name) == isMatch)
  }

  @Test func `a pattern is a part of a path and of bounded length`() {
    #expect(NamePattern("") == nil)
    #expect(NamePattern("a/b") == nil)
    #expect(NamePattern("a\u{7}") == nil)
    #expect(NamePattern(String(repeating: "a", count: 201)) == nil)
    #expect(NamePattern(String(repeating: "a", count: 200)) != nil)
  }

  @Test func `many stars take no long time`() throws {
    let pattern = try #require(NamePattern(String(repeating: "a*", count: 99) + "b"))
    #expect(!pattern.matches(String(repeating: "a", count: 2000)))
  }

  /// Compares with a recursive definition.
  @Test func `matching is as defined`() throws {
    func matches(_ pattern: ArraySlice<Character>, _ name: ArraySlice<Character>) -> Bool {
      guard let first = pattern.first else { return name.isEmpty }
      let rest = pattern.dropFirst()
      if first == "*" {
        return matches(rest, name) || !name.isEmpty && matches(pattern, name.dropFirst())
      }
      guard let letter = name.first, first == "?" || first == letter else { return false }
      return matches(rest, name.dropFirst())
    }
    let seed = UInt64.random(in: .min ... .max)
    print("Pattern seed \(seed)")
    var random = SeededGenerator(seed: seed)
    func text(_ letters: [Character], _ count: ClosedRange<Int>) -> [Character] {
      (0..<Int.random(in: count, using: &random)).map { _ in
        letters[Int.random(in: letters.indices, using: &random)]
      }
    }
    for _ in 0..<2000 {
      let pattern = text(["a", "b", "*", "?"], 1...6)
      let name = text(["a", "b"], 0...7)
      let found = try #require(NamePattern(String(pattern))).matches(String(name))
      #expect(
        found == matches(pattern[...], name[...]),
        "\(String(pattern)) \(String(name)), seed \(seed)")
    }
  }

  @Test(arguments: [
    ("video/*", "video/mp4", true), ("video/*", "Video/MP4", true), ("VIDEO/*", "video/mp4", true),
    ("video/*", "videos/mp4", false), ("video/mp4", "video/mp4", true),
    ("video/mp4", "video/mp42", false), ("application/x+zip", "application/x+zip", true),
  ])
  func `a type is one type or all of a kind`(
    pattern: String, type: String, isMatch: Bool
  ) throws {
    #expect(try #require(MediaTypePattern(pattern)).matches(type) == isMatch)
  }

  @Test(arguments: ["", "video", "video/", "/mp4", "*/*", "video/m*", "a/b/c", "a b/c", "*/mp4"])
  func `what is no type is refused`(text: String) { #expect(MediaTypePattern(text) == nil) }
}
