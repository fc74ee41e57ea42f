import KettleModel
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct AddMirrorsTests {
  private func specs(_ context: FakeContext) -> [TransferSpec] {
    context.service.asked.flatMap { asked in
      if case .add(let specs) = asked { specs } else { [TransferSpec]() }
    }
  }

  @Test func `each --mirror is another URL of the file`() async throws {
    let context = FakeContext()
    let outcome = await context.run(
      "add", "https://a.example/f", "--mirror", "https://b.example/f", "--mirror",
      "http://anna:pw@c.example/f")
    #expect(outcome == .init(code: 0, output: "1\n", error: ""))
    let spec = try #require(specs(context).first)
    #expect(
      spec.options.mirrors.map(\.text) == ["https://b.example/f", "http://c.example/f"])
    #expect(spec.login == nil)
  }

  @Test func `an invalid mirror and too many mirrors are refused`() async {
    let context = FakeContext()
    let invalid = await context.run("add", "https://a.example/f", "--mirror", "rsync://b.example/f")
    #expect(invalid.code == 2)
    let words = (0..<65).flatMap { ["--mirror", "https://m\($0).example/f"] }
    let other = FakeContext()
    let many = await other.run(["add", "https://a.example/f"] + words)
    #expect(many.code == 2)
    #expect(many.error == "kettle: Cannot use 65 mirrors for one file; give at most 64\n")
    #expect(other.service.asked.isEmpty)
    #expect(context.service.asked.isEmpty)
  }

  @Test func `each file of a Metalink becomes a transfer`() async throws {
    let directory = try TemporaryDirectory()
    _ = try directory.file(
      "set.meta4",
      """
      <metalink xmlns="urn:ietf:params:xml:ns:metalink">
      <file name="a.iso"><hash type="md5">\(String(repeating: "a", count: 32))</hash>
      <url priority="2">http://n.example/a</url><url priority="1">http://m.example/a</url></file>
      <file name="sub/b.iso"><url>http://m.example/b</url></file>
      </metalink>
      """)
    var context = FakeContext()
    context.directory = directory.path
    let outcome = await context.run("add", "set.meta4", "https://example.org/c", "--paused")
    #expect(outcome == .init(code: 0, output: "1\n2\n3\n", error: ""))
    let added = specs(context)
    #expect(
      added.map(\.url.text) == [
        "https://example.org/c", "http://m.example/a", "http://m.example/b",
      ])
    #expect(added.map { $0.name?.text } == [nil, "a.iso", "b.iso"])
    #expect(added[1].options.otherSources.map(\.url.text) == ["http://n.example/a"])
    #expect(added[1].checksum?.algorithm == .md5)
    #expect(added.allSatisfy { $0.beginning == .paused })
  }

  @Test func `a Metalink that cannot be used is refused`() async throws {
    let directory = try TemporaryDirectory()
    _ = try directory.file("page.meta4", "<html></html>")
    var context = FakeContext()
    context.directory = directory.path
    let page = await context.run("add", "page.meta4")
    #expect(page.code == 2)
    #expect(
      page.error == "kettle: \"page.meta4\" is not a Metalink; check that it is the right file\n")
    let missing = await context.run("add", "none.meta4")
    #expect(missing.code == 2)
    #expect(context.service.asked.isEmpty)
  }

  @Test func `a URL that ends in .meta4 is a URL`() async {
    let context = FakeContext()
    let outcome = await context.run("add", "https://a.example/f.meta4")
    #expect(outcome.code == 0)
    #expect(specs(context).first?.url.text == "https://a.example/f.meta4")
  }
}
