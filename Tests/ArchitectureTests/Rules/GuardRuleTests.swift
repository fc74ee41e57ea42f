import Testing

/// The rule against small bad samples: it is known to be able to fail.
struct GuardRuleTests {
  private func findings(_ entry: String) -> [String] {
    let source = SourceText(path: "a.swift", text: "  one\n  two\n  two\n")
    return GuardRule.findings(
      in: SourceText(path: "guards.txt", text: entry), tests: ["it holds"],
      file: { $0 == "a.swift" ? source : nil }
    ).map(\.why)
  }

  @Test func `an entry whose line and test are there is right`() {
    #expect(findings("== x\nfile   a.swift\n- one\n+ three\ntest   it holds").isEmpty)
  }

  @Test func `a line that is gone or stands twice, a file and a test that are gone are found`() {
    #expect(
      findings("== x\nfile   a.swift\n- four\n+ three\ntest   it holds")
        == ["the line stands in a.swift 0 times"])
    #expect(
      findings("== x\nfile   a.swift\n- two\n+ three\ntest   it holds")
        == ["the line stands in a.swift 2 times"])
    #expect(findings("== x\nfile   b.swift\n- one\n+ three") == ["there is no b.swift"])
    #expect(findings("test   it does not") == ["there is no test \"it does not\""])
  }
}
