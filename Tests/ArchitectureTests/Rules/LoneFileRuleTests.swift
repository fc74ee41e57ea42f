import Testing

/// The rule against small bad samples.
struct LoneFileRuleTests {
  private func found(_ texts: [String: String]) -> [String] {
    LoneFileRule.findings(in: texts.map { SourceText(path: $0.key, text: $0.value) })
      .map(\.description).sorted()
  }

  @Test func `a small file whose types one other file names is found`() {
    let pair = [
      "Sources/A/One.swift": "package struct One {}\n", "Sources/A/B.swift": "let b = One()",
    ]
    #expect(found(pair) == ["Sources/A/One.swift:0: only Sources/A/B.swift names its types"])
    #expect(found(pair.merging(["Sources/C/D.swift": "let d = One()"]) { $1 }).isEmpty)
    #expect(found(pair.merging(["Tests/C/D.swift": "let d = One()"]) { $1 }).count == 1)
  }

  @Test func `large files, extensions and comments are none`() {
    let use = "let b = One()"
    let large = "struct One {\n" + String(repeating: "  // One\n", count: 80) + "}\n"
    #expect(found(["Sources/A/One.swift": large, "Sources/A/B.swift": use]).isEmpty)
    #expect(found(["Sources/A/One.swift": "extension One {}\n", "Sources/A/B.swift": use]).isEmpty)
    let small = "struct One {}\n"
    #expect(found(["Sources/A/One.swift": small, "Sources/A/B.swift": "// One"]).isEmpty)
  }
}
