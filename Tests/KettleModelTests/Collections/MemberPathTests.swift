import KettleModel
import SeededNumbers
import Testing

struct MemberPathTests {
  private func path(_ text: String) -> String? { MemberPath(foreign: text)?.text }

  @Test func `a path stays below its directory`() {
    #expect(path("/a") == nil && path("../a") == nil && path("a/../b") == nil && path("") == nil)
    #expect(path("a/./b") == "a/b" && path("a//b") == "a/b" && path("a/b/") == "a/b")
    #expect(path("a/.b") != "a/.b" && path("a/b.") != "a/b." && path("con/x") != "con/x")
    #expect(path("/\u{301}a") == nil)
  }

  @Test func `it has bounds`() {
    let deep = { (depth: Int) in Array(repeating: "d", count: depth).joined(separator: "/") }
    #expect(path(deep(MemberPath.depthMax)) == deep(MemberPath.depthMax))
    #expect(path(deep(MemberPath.depthMax + 1)) == nil)
    // Two that are not safe as they are take the longer way.
    #expect(path(deep(MemberPath.depthMax - 1) + "/a b")?.isEmpty == false)
    #expect(path(deep(MemberPath.depthMax) + "/a b") == nil)
    let long = Array(repeating: String(repeating: "x", count: 127), count: 15) + ["a"]
    let ends = [String(repeating: "y", count: 125), String(repeating: "y", count: 126)]
    let paths = ends.map { (long + [$0]).joined(separator: "/") }
    #expect(paths.map(\.utf8.count) == [2047, 2048])
    #expect(path(paths[0]) == paths[0] && path(paths[1]) == nil)
  }

  @Test func `a path of text is that of its components`() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "a", "B7", "/", "/", "/", ".", "..", "-", "_", "+", " ", "con", "nul", "\\", ":", "\u{301}",
      "\n", "ä", "~", String(repeating: "x", count: 130),
    ]
    for _ in 0..<20_000 {
      let text = (0...Int.random(in: 0...12, using: &random))
        .compactMap { _ in pieces.randomElement(using: &random) }.joined()
      let slash = UInt8(ascii: "/")
      let components = text.utf8.split(separator: slash).map { String(Substring($0)) }
      let expected = text.utf8.first == slash ? nil : MemberPath(foreign: components)
      #expect(MemberPath(foreign: text) == expected, "seed \(seed), \(text.debugDescription)")
      // It is read as it was written.
      if let expected { #expect(MemberPath(foreign: expected.text) == expected, "seed \(seed)") }
    }
  }

  @Test func `a path from a directory above it`() throws {
    let path = try #require(MemberPath(foreign: "a/b/c"))
    #expect(path.from("").text == "a/b/c" && path.from("a").text == "b/c")
    #expect(path.from("a/b").text == "c" && path.from("a/b/c").text == "c")
  }
}
