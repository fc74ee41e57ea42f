import Testing

/// The rule against small bad samples, which prove that it can fail.
struct FaultRuleTests {
  private static let mark = "// Fau" + "lt "

  private func marked(_ text: String) -> [Int: Set<String>] {
    FaultRule.marked(in: [SourceText(path: "Tests/XTests/XTests.swift", text: text)])
  }

  private func findings(_ rows: [FaultRule.Row], _ marked: [Int: Set<String>]) -> [String] {
    // The sample has no other faults.
    let others = (1...FaultRule.lastFault).filter { number in
      !rows.contains { $0.number == number }
    }
    let filler = others.map {
      FaultRule.Row(number: $0, priority: 0, tests: [], reason: "sample", line: 0)
    }
    return FaultRule.findings(rows: rows + filler, marked: marked, path: "x").map(\.why)
  }

  @Test func `fault comments belong to the next test`() {
    let text = """
      \(Self.mark)7, 8
      @Test(arguments: [1])
      func `one thing`(_ number: Int) {}
      @Test func `another`() {}
      """
    #expect(marked(text) == [7: ["one thing"], 8: ["one thing"]])
  }

  @Test func `a row is parsed with its tests or its reason`() {
    let document = SourceText(
      path: "x.md",
      text: "| 1 | 0 | what | `a`<br>`b` |\n| 2 | 1 | what | Because. |\n| 3 | 0 | w | none |")
    let rows = FaultRule.rows(in: document)
    #expect(rows.map(\.tests) == [["a", "b"], [], []])
    #expect(rows.map(\.reason) == [nil, "Because.", nil])
  }

  @Test func `missing and unlisted tests are found`() {
    let row = FaultRule.Row(number: 1, priority: 0, tests: ["a"], reason: nil, line: 3)
    #expect(findings([row], [1: ["a"]]).isEmpty)
    #expect(findings([row], [:]) == ["no test \"a\" is under // Fault 1"])
    #expect(
      findings([row], [1: ["a", "b"]]) == ["the test \"b\" of fault 1 is not in the table"])
  }

  @Test func `a fault that is unexplained, duplicated or unknown is found`() {
    let bare = FaultRule.Row(number: 1, priority: 1, tests: [], reason: nil, line: 3)
    #expect(findings([bare], [:]) == ["fault 1 has neither a test nor a reason"])
    var late = bare
    late.priority = 2
    #expect(findings([late], [:]).isEmpty)
    #expect(findings([late, late], [:]) == ["fault 1 occurs 2 times"])
    #expect(findings([late], [999: ["a"]]) == ["there is no fault 999"])
  }
}
