import KettleCollections
import KettleModel
import Testing

@testable import KettleScheduler

/// What is kept of the documents of a collection, whatever an adapter makes of them.
struct ListingRunTests {
  private let root = url("https://files.example/pub/")
  private let chain = RedirectChain(count: 0, minimumReach: .world)

  private func run(_ choice: MemberChoice = MemberChoice()) -> ListingRun {
    ListingRun(ListingRequest(root), choice: choice, redirects: chain)
  }

  private func member(
    _ path: String, _ address: String? = nil, _ checksum: Checksum? = nil
  ) -> ListedMember? {
    MemberPath(foreign: path).map {
      ListedMember(
        path: $0,
        url: url(address ?? "https://files.example/pub/" + path.replacing(" ", with: "%20")),
        byteCount: 10,
        checksum: checksum)
    }
  }

  private func page(_ members: [ListedMember?], _ further: [ListingRequest] = []) -> ListingPage {
    var page = ListingPage()
    page.members = members.compactMap { $0 }
    page.further = further
    return page
  }

  private func paths(_ run: inout ListingRun) -> [String] {
    run.takeUnrecorded()?.members.map(\.path.text) ?? []
  }

  @Test func `each document is read once, and cycles end`() {
    var run = run()
    let sub = ListingRequest(url("https://files.example/pub/sub/"), directory: ["sub"], depth: 1)
    #expect(run.receive(page([], [sub, ListingRequest(root), sub]), from: root, chain) == nil)
    #expect(run.next == sub)
    #expect(run.receive(page([], [ListingRequest(root), sub]), from: sub.url, chain) == nil)
    #expect(run.next == nil)
  }

  @Test func `names that fold together are distinct, and a file listed twice counts once`() {
    var run = run()
    let members = [
      member("a.txt"), member("A.TXT"), member("a.txt"),
      member("a.txt", "https://files.example/other/a.txt"),
    ]
    #expect(run.receive(page(members), from: root, chain) == nil)
    #expect(paths(&run) == ["a.txt", "A (2).TXT", "a (3).txt"])
    #expect(run.list.memberCount == 3)
    #expect(run.list.byteCount == 30)
  }

  @Test func `a number that a listed file has is left out`() {
    var run = run()
    let members = [member("a.txt"), member("a (2).txt"), member("A.txt")]
    #expect(run.receive(page(members), from: root, chain) == nil)
    #expect(paths(&run) == ["a.txt", "a (2).txt", "A (3).txt"])
  }

  @Test func `numbers go on over documents`() {
    var run = run()
    let sub = ListingRequest(url("https://files.example/pub/sub/"), depth: 1)
    _ = run.receive(page([member("a"), member("b")], [sub]), from: root, chain)
    #expect(run.takeUnrecorded()?.from == 0)
    #expect(run.takeUnrecorded() == nil)
    _ = run.receive(page([member("sub/c")]), from: sub.url, chain)
    #expect(run.takeUnrecorded()?.from == 2)
  }

  @Test(arguments: [
    "http://files.example/pub/sub/", "ftp://files.example/pub/list",
    "sftp://files.example/pub/list",
  ])
  func `no document is requested that a redirect could not lead to`(address: String) {
    var run = run()
    _ = run.receive(page([], [ListingRequest(url(address), depth: 1)]), from: root, chain)
    #expect(run.next == nil)
  }

  @Test(arguments: [
    "http://127.0.0.1/a", "https://[::1]/a", "https://192.168.1.1/a", "sftp://files.example/a",
    "http://files.example/a",
  ])
  func `no file is fetched that its list may not name`(address: String) throws {
    var run = run()
    _ = run.receive(page([member("a", address)]), from: root, chain)
    #expect(paths(&run).isEmpty)
    #expect(run.list.refusedCount == 1)
    // Over http only what a digest verifies.
    var other = self.run()
    let checksum = try #require(Checksum("sha256:" + String(repeating: "a", count: 64)))
    _ = other.receive(page([member("a", "http://files.example/a", checksum)]), from: root, chain)
    #expect(paths(&other) == ["a"])
  }

  @Test func `directories below the depth are not entered`() {
    var run = run(MemberChoice(depth: 1))
    let one = ListingRequest(url("https://files.example/pub/1/"), depth: 1)
    let two = ListingRequest(url("https://files.example/pub/1/2/"), depth: 2)
    _ = run.receive(page([], [one]), from: root, chain)
    #expect(run.next == one)
    _ = run.receive(page([], [two]), from: one.url, chain)
    #expect(run.next == nil)
  }

  @Test func `patterns choose files by their path or name`() {
    let choice = MemberChoice(include: ["*.json", "data/*"], exclude: ["*secret*"])
    var run = run(choice)
    let names = ["a.json", "sub/b.json", "data/x/y.bin", "c.bin", "data/secret.json"]
    _ = run.receive(page(names.map { member($0) }), from: root, chain)
    #expect(paths(&run) == ["a.json", "sub/b.json", "data/x/y.bin"])
  }

  @Test func `a pattern of stars ends`() throws {
    let choice = MemberChoice(include: [String(repeating: "*a", count: 500) + "b"])
    let path = try #require(MemberPath(foreign: String(repeating: "a", count: 200)))
    #expect(!choice.includes(path))
  }

  @Test func `rules are read first, and where they come from does not bind the files`() {
    let rules = ListingRequest(url("https://files.example/robots.txt"), form: .rules)
    var run = ListingRun(
      ListingRequest(root), rules: rules, choice: MemberChoice(),
      redirects: RedirectChain(count: 0, minimumReach: .machine))
    #expect(run.next == rules)
    var answer = ListingPage()
    answer.rules = RobotRules(Array("User-agent: *\nDisallow: /".utf8))
    #expect(run.receive(answer, from: url("http://elsewhere.example/robots.txt"), chain) == nil)
    #expect(run.rules == answer.rules)
    #expect(run.next == ListingRequest(root))
    #expect(run.redirects.minimumReach == .machine)
  }

  @Test func `only mirrors stay that the list may name`() throws {
    var run = run()
    let path = try #require(MemberPath(foreign: "a"))
    let mirrors = ["https://127.0.0.1/a", "https://other.example/a", "http://other.example/a"]
    let listed = ListedMember(
      path: path, url: url("https://files.example/a"), mirrors: mirrors.map { url($0) })
    _ = run.receive(page([listed]), from: root, chain)
    #expect(
      run.takeUnrecorded()?.members.first?.mirrors?.map(\.text) == ["https://other.example/a"])
  }

  @Test func `the reach of the farthest server binds the files`() {
    var run = ListingRun(
      ListingRequest(root), choice: MemberChoice(),
      redirects: RedirectChain(count: 0, minimumReach: .machine))
    _ = run.receive(page([member("a")]), from: root, chain)
    #expect(run.list.reach == .world)
  }
}
