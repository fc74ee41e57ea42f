import KettleDashboard
import KettleModel
import Testing

/// The parsing of a typed filter.
struct FilterQueryTests {
  private func filter(_ text: String) -> RowFilter? { try? FilterQuery.parse(text).get() }

  private func problem(_ text: String) -> FilterQuery.Problem? {
    if case .failure(let problem) = FilterQuery.parse(text) { problem } else { nil }
  }

  @Test func `an empty filter matches everything`() {
    #expect(filter("") == RowFilter())
    #expect(filter("  \t ") == RowFilter())
  }

  @Test func `conditions and words can be in any order`() {
    #expect(
      filter("iso state:failed host:Example.org arm64 session:kettle")
        == RowFilter(
          states: [.failed], session: .kettle, host: "example.org", text: "iso arm64"))
  }

  @Test(arguments: [
    ("state:failed,waiting", [TransferState.failed, .waiting]),
    ("state:failed state:waiting", [.failed, .waiting]), ("STATE:Failed,", [.failed]),
    ("state:r", [.running]), ("state:done", [.completed]), ("state:c", [.completed]),
    ("state:d", [.completed]), ("state:pau,v", [.paused, .verifying]),
  ])
  func `several states combine, and a prefix of a name is enough`(
    text: String, states: [TransferState]
  ) {
    #expect(filter(text)?.states == states)
  }

  @Test func `every state can be abbreviated`() {
    for state in TransferState.allCases {
      #expect(filter("state:" + state.rawValue.prefix(1))?.states == [state])
      #expect(filter("state:" + state.rawValue)?.states == [state])
    }
  }

  @Test func `needs selects what waits for the user`() {
    #expect(filter("needs:you") == RowFilter(needsUser: true))
    #expect(filter("iso needs:Y") == RowFilter(text: "iso", needsUser: true))
    #expect(problem("needs:me") == .hasOneForm(.needs))
    #expect(filter("hook:f") == RowFilter(hookFailed: true))
    #expect(problem("hook:x") == .hasOneForm(.hook))
    #expect(problem("needs:") == .missingValue(.needs))
  }

  @Test func `quotes preserve spaces and colons`() {
    #expect(filter("\"two words\" x")?.words.map(\.text) == ["two words", "x"])
    #expect(filter("\"state:failed\"")?.words.map(\.text) == ["state:failed"])
    #expect(filter("session:\"my app\"")?.session?.rawValue == "my app")
    // The user is still typing.
    #expect(filter("\"two wo")?.words.map(\.text) == ["two wo"])
    #expect(filter("\"")?.words.map(\.text) == [])
  }

  @Test func `a URL is parsed as a word`() {
    #expect(filter("https://example.org/a.iso")?.words.map(\.text) == ["https://example.org/a.iso"])
    #expect(filter(":x")?.words.map(\.text) == [":x"])
    #expect(filter("12:30")?.words.map(\.text) == ["12:30"])
  }

  @Test func `unknown, incomplete and repeated conditions are rejected`() {
    #expect(problem("stat:failed") == .unknownKey("stat"))
    #expect(problem("state:lost") == .unknownState("lost"))
    #expect(problem("state:failed,x") == .unknownState("x"))
    #expect(problem("state:") == .missingValue(.state))
    #expect(problem("state:,") == .missingValue(.state))
    #expect(problem("host:") == .missingValue(.host))
    #expect(problem("host:a host:b") == .second(.host))
    #expect(problem("session:a session:b") == .second(.session))
  }

  @Test func `a state can be excluded, other conditions cannot`() {
    #expect(filter("!state:failed")?.states == TransferState.allCases.filter { $0 != .failed })
    #expect(filter("!state:failed state:failed,idle")?.states == [.idle])
    #expect(filter("!state:x") == nil)
    #expect(problem("!host:a") == .cannotExclude(.host))
    #expect(problem("!foo:a") == .unknownKey("foo"))
    #expect(filter("!https://a !iso")?.text == "!https://a !iso")
    #expect(FilterQuery.text("!state:failed a", withState: .idle) == "state:idle a")
  }

  @Test func `replacing the state condition keeps the rest of the filter`() {
    let text = "\"two words\" state:failed host:example.org state:idle"
    #expect(
      FilterQuery.text(text, withState: .paused)
        == "state:paused \"two words\" host:example.org")
    #expect(FilterQuery.text(text, withState: nil) == "\"two words\" host:example.org")
    #expect(FilterQuery.text("", withState: .idle) == "state:idle")
  }

  @Test func `arbitrary words are parsed or rejected`() {
    let long = String(repeating: "a:\"", count: 5000)
    #expect(filter(long) != nil || problem(long) != nil)
    #expect(filter("文\u{301}:x") != nil || problem("文\u{301}:x") != nil)
  }
}
