import Testing

@testable import KettleConfiguration

struct ConfigurationEditorTests {
  private func edited(
    _ text: String, _ change: (inout ConfigurationEditor) throws -> Void
  ) throws -> String {
    var editor = try ConfigurationEditor(Array(text.utf8))
    try change(&editor)
    return String(decoding: editor.bytes, as: UTF8.self)
  }

  private static let file = """
    # My settings
    [limits]   # of everything
    rate = "1M"    # at night more
    transfers = 3

    [notify]
    failures = false
    """

  @Test func `a value is replaced where it is`() throws {
    #expect(
      try edited(Self.file) { try $0.set("limits.rate", toWords: ["2M"]) }
        == Self.file.replacing("\"1M\"", with: "\"2M\""))
    #expect(
      try edited(Self.file) { try $0.set("limits.transfers", toWords: ["5"]) }
        == Self.file.replacing("= 3", with: "= 5"))
  }

  @Test func `a new key follows the last one of its table`() throws {
    #expect(
      try edited(Self.file) { try $0.set("limits.connections", toWords: ["9"]) }
        == Self.file.replacing("transfers = 3\n", with: "transfers = 3\nconnections = 9\n"))
    #expect(
      try edited(Self.file) { try $0.set("notify.finished", toWords: ["false"]) }
        == Self.file + "\nfinished = false\n")
    #expect(
      try edited("[limits]\n[notify]\n") { try $0.set("limits.transfers", toWords: ["1"]) }
        == "[limits]\ntransfers = 1\n[notify]\n")
  }

  @Test func `a new table is added at the end`() throws {
    #expect(
      try edited(Self.file) { try $0.set("rpc.enabled", toWords: ["true"]) }
        == Self.file + "\n\n[rpc]\nenabled = true\n")
    #expect(
      try edited("") { try $0.set("rpc.port", toWords: ["6801"]) } == "[rpc]\nport = 6801\n")
  }

  @Test func `keys with dots stay together`() throws {
    #expect(
      try edited("limits.rate = \"1M\"\n[notify]\n") {
        try $0.set("limits.transfers", toWords: ["2"])
      } == "limits.rate = \"1M\"\nlimits.transfers = 2\n[notify]\n")
  }

  @Test func `several values are an array, and one may be`() throws {
    #expect(
      try edited("") { try $0.set("proxy.no-proxy", toWords: ["a", "b"]) }
        == "[proxy]\nno-proxy = [\"a\", \"b\"]\n")
    #expect(
      try edited("") { try $0.set("proxy.no-proxy", toWords: ["a"]) }
        == "[proxy]\nno-proxy = [\"a\"]\n")
    #expect(
      try edited("[proxy]\nno-proxy = [ # two\n \"a\",\n]\nurl = \"http://p\"\n") {
        try $0.set("proxy.no-proxy", toWords: ["x"])
      } == "[proxy]\nno-proxy = [\"x\"]\nurl = \"http://p\"\n")
  }

  @Test func `a key is removed with its lines`() throws {
    var removals: [Bool] = []
    let text = try edited("[proxy]\nno-proxy = [\n \"a\",\n]\nurl = \"http://p\"\n") { editor in
      removals = [try editor.remove("proxy.no-proxy"), try editor.remove("proxy.no-proxy")]
    }
    #expect(text == "[proxy]\nurl = \"http://p\"\n")
    #expect(removals == [true, false])
  }

  @Test func `a value is shown as it is written`() throws {
    let editor = try ConfigurationEditor(Array(Self.file.utf8))
    #expect(editor.value(of: "limits.rate") == "\"1M\"")
    #expect(editor.value(of: "limits.transfers") == "3")
    #expect(editor.value(of: "limits.connections") == nil)
  }

  @Test(arguments: [
    ("limits.rate", "fast"), ("limits.transfers", "0"), ("limits.transfers", "x"),
    ("limits.speed", "1M"), ("rpc.port", "70000"), ("downloads.directory", "relative"),
    ("limits.rate", "1M\"\nx = \""), ("limits.rate", "a\nb"), ("", "x"), ("a..b", "1"),
  ])
  func `a key or value that has no effect changes nothing`(key: String, value: String) throws {
    var editor = try ConfigurationEditor(Array(Self.file.utf8))
    #expect(throws: ConfigurationProblem.self) { try editor.set(key, toWords: [value]) }
    #expect(String(decoding: editor.bytes, as: UTF8.self) == Self.file)
  }

  @Test func `the dashboard's keys can be set too`() throws {
    #expect(
      try edited("") { try $0.set("dashboard.mouse", toWords: ["false"]) }
        == "[dashboard]\nmouse = false\n")
  }

  // MARK: - Arrays of tables

  private static let rules = """
    [[rules]] # images
    host = "a.example"

    # Music
    [[rules]]
    host = "b.example"   # the second
    title = "b"
    [limits]
    transfers = 3

    """

  @Test func `a key of an element is shown, changed, added and removed where it is`() throws {
    let editor = try ConfigurationEditor(Array(Self.rules.utf8))
    #expect(editor.value(of: "rules.2.host") == "\"b.example\"")
    #expect(editor.value(of: "rules.3.host") == nil)
    #expect(
      try edited(Self.rules) { try $0.set("rules.2.host", to: "\"c\"") }
        == Self.rules.replacing("\"b.example\"", with: "\"c\""))
    #expect(
      try edited(Self.rules) { try $0.set("rules.1.title", to: "\"a\"") }
        == Self.rules.replacing("\"a.example\"\n", with: "\"a.example\"\ntitle = \"a\"\n"))
    #expect(
      try edited(Self.rules) { _ = try $0.remove("rules.2.title") }
        == Self.rules.replacing("title = \"b\"\n", with: ""))
  }

  @Test func `the next element is added at the end`() throws {
    #expect(
      try edited(Self.rules) { try $0.set("rules.3.host", to: "\"c\"") }
        == Self.rules + "\n[[rules]]\nhost = \"c\"\n")
    #expect(
      try edited("") { try $0.set("rules.1.host", to: "\"c\"") } == "[[rules]]\nhost = \"c\"\n")
  }

  @Test(arguments: ["rules.4.host", "rules.0.host", "rules.03.host"])
  func `an element cannot be added out of order`(key: String) throws {
    var editor = try ConfigurationEditor(Array(Self.rules.utf8))
    #expect(throws: ConfigurationProblem(.missingElement(key, of: "rules", next: 3))) {
      try editor.set(key, to: "1")
    }
    #expect(String(decoding: editor.bytes, as: UTF8.self) == Self.rules)
  }

  @Test(arguments: ["rules.host", "rules.x.host", "rules.1.x.host", "rules.-.host"])
  func `a key of an array needs the number of an element`(key: String) throws {
    var editor = try ConfigurationEditor(Array(Self.rules.utf8))
    #expect(throws: ConfigurationProblem(.unknownKey(key))) { try editor.set(key, to: "1") }
  }

  @Test func `an element is removed with its keys, and comments before it stay`() throws {
    #expect(
      try edited(Self.rules) { _ = try $0.remove("rules.2") } == """
        [[rules]] # images
        host = "a.example"

        # Music
        [limits]
        transfers = 3

        """)
    #expect(
      try edited("[[rules]]\n[[rules]]\nhost = 1\n") { _ = try $0.remove("rules.1") }
        == "[[rules]]\nhost = 1\n")
    var editor = try ConfigurationEditor(Array(Self.rules.utf8))
    #expect(try !editor.remove("rules.3"))
    #expect(try !editor.remove("limits"))
  }

  @Test func `the keys of a new element are set one after the other`() throws {
    #expect(
      try edited("") {
        try $0.set("limits.schedule.1.rate", toWords: ["1M"])
        try $0.set("limits.schedule.1.hours", toWords: ["08:00-18:00"])
      } == "[[limits.schedule]]\nrate = \"1M\"\nhours = \"08:00-18:00\"\n")
    var editor = try ConfigurationEditor([])
    #expect(throws: ConfigurationProblem.self) {
      try editor.set("limits.schedule.1.rate", toWords: ["fast"])
    }
    #expect(editor.bytes.isEmpty)
  }

  @Test func `a table around an array of tables is added after it`() throws {
    let text = "[[limits.schedule]]\nfrom = 1\n"
    #expect(
      try edited(text) { try $0.set("limits.transfers", to: "3") }
        == text + "\n[limits]\ntransfers = 3\n")
  }

  @Test func `a file that is not TOML is left alone`() {
    #expect(throws: ConfigurationProblem.self) { try ConfigurationEditor(Array("[a\nb".utf8)) }
  }
}
