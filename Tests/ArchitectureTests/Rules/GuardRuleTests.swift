import Testing

/// The rule against small bad samples, which prove that it can fail.
struct GuardRuleTests {
  private func findings(_ entry: String) -> [String] {
    let source = SourceText(path: "a.swift", text: "  one\n  two\n  two\n")
    return GuardRule.findings(
      in: SourceText(path: "guards.txt", text: entry), tests: ["it holds"],
      file: { $0 == "a.swift" ? source : nil }
    ).map(\.why)
  }

  @Test func `an entry with an existing line and test is accepted`() {
    #expect(findings("== x\nfile   a.swift\n- one\n+ three\ntest   it holds").isEmpty)
  }

  @Test func `a missing or ambiguous line, a missing file and a missing test are found`() {
    #expect(
      findings("== x\nfile   a.swift\n- four\n+ three\ntest   it holds")
        == ["the line occurs 0 times in a.swift"])
    #expect(
      findings("== x\nfile   a.swift\n- two\n+ three\ntest   it holds")
        == ["the line occurs 2 times in a.swift"])
    #expect(findings("== x\nfile   b.swift\n- one\n+ three") == ["there is no b.swift"])
    #expect(findings("test   it does not") == ["there is no test \"it does not\""])
  }
}
