import Testing

@testable import KettleCommands

struct ManualSourceTests {
  private func body(_ write: (inout ManualSource) -> Void) -> String {
    var source = ManualSource(title: "a", section: 1, date: "2026-02-03", version: "1.2")
    write(&source)
    return source.lines.dropFirst(3).joined(separator: "\n")
  }

  @Test func `the head has the title, the date and the version`() {
    let source = ManualSource(title: "kettle-add", section: 1, date: "2026-02-03", version: "1.2")
    #expect(source.text == ".Dd February 3, 2026\n.Dt KETTLE-ADD 1\n.Os Kettle 1.2\n")
  }

  @Test func `sentences are on lines of their own, and no line is taken for a macro`() {
    #expect(
      body { $0.prose("One. Two. .netrc a\\b --c 'd' e.g") }
        == "One.\nTwo.\n\\&.netrc a\\eb \\-\\-c 'd' e.g")
    #expect(body { $0.prose("'quoted' first") } == "\\&'quoted' first")
  }

  @Test func `paragraphs are separated, and indented lines stay as they are`() {
    #expect(
      body { $0.paragraphs("a\nb\n\nc:\n  .x  y\n  z\n\nd") }
        == """
        a b
        .Pp
        c:
        .Bd -literal -offset indent
        \\&.x  y
        z
        .Ed
        .Pp
        d
        """)
  }

  @Test func `the term of an option has its names and its value`() {
    #expect(
      ManualSource.term(names: ["-i", "--input"], value: "file") == "Fl i , Fl -input Ar file")
    #expect(ManualSource.term(names: ["--all"], value: nil) == "Fl -all")
  }

  @Test func `a usage sets values apart`() {
    #expect(
      body { $0.usage("kettle start [<id> ...] [--all]") }
        == ".Nm kettle\nstart [\\fIid\\fR ...] [\\-\\-all]")
  }
}
