import Testing

/// The rule against small samples.
struct LabelRuleTests {
  private func lines(_ text: String) -> [Int] {
    LabelRule.findings(in: SourceText(path: "Sources/A/B.swift", text: text)).map(\.line)
  }

  @Test(arguments: [
    "func a(_ b: B, _ c: C, _ d: D) {}",
    "func a<B: C, D>(_ b: B, _ c: inout [C], _ d: D) where B == D {}",
    "init?(_ b: B, _ c: (C, C), d: D, _ e: E = .f(1, 2)) {}",
    "func `a b`(\n  _ b: B,\n  _ c: (C) -> D,\n  _ d: D\n) {}",
  ])
  func `three parameters without a label are found`(_ text: String) {
    #expect(lines(text) == [1])
  }

  @Test(arguments: [
    "func a(_ b: B, _ c: C, d: D) {}",
    "func a(_ b: (_ c: C, _ d: D, _ e: E) -> F, _ g: G) {}",
    "func a() { b(_ , _ , _ ) }",
    "static func < (_ b: B, _ c: C, _ d: D) -> Bool {}",
    "self.init(_ b, _ c, _ d)",
    "subscript(_ b: B, _ c: C, _ d: D) -> E { e }",
    "// func a(_ b: B, _ c: C, _ d: D) {}",
    "let a = { (_ b: B, _ c: C, _ d: D) in b }",
  ])
  func `labels, operators, calls, subscripts and closures are accepted`(_ text: String) {
    #expect(lines(text).isEmpty)
  }

  @Test func `the finding names the line of the declaration`() {
    #expect(lines("\n\nfunc a(\n  _ b: B, _ c: C,\n  _ d: D) {}\nfunc e() {}") == [3])
  }
}
