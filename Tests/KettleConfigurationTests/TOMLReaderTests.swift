import SeededNumbers
import Testing

@testable import KettleConfiguration

struct TOMLReaderTests {
  private func read(_ text: String) throws(TOMLProblem) -> [TOMLEntry] {
    try TOMLReader.read(Array(text.utf8)).entries
  }

  private func problem(_ bytes: [UInt8]) -> TOMLProblem? {
    do throws(TOMLProblem) {
      _ = try TOMLReader.read(bytes)
      return nil
    } catch { return error }
  }

  // Fault 187
  @Test func `a byte order mark is not part of the text`() throws {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    #expect(try TOMLReader.read(mark).entries.isEmpty)
    let entries = try TOMLReader.read(mark + Array("k = 1".utf8)).entries
    #expect(entries == [TOMLEntry(name: "k", value: .integer(1), line: 1)])
    #expect(problem(Array("k = 1\n".utf8) + mark) != nil)
  }

  @Test func `a key is added behind a byte order mark`() throws {
    var editor = try ConfigurationEditor([0xEF, 0xBB, 0xBF] + Array("[limits]\n".utf8))
    try editor.set("limits.rate", toWords: ["2M"])
    #expect(
      String(decoding: editor.bytes, as: UTF8.self) == "\u{FEFF}[limits]\nrate = \"2M\"\n")
  }

  @Test(arguments: [
    (#""""#, TOMLValue.string("")), (#""a\tb\n\"\\\u00e9\U0001F680""#, .string("a\tb\n\"\\é🚀")),
    ("'C:\\dir'", .string("C:\\dir")), ("'# no comment'", .string("# no comment")),
    ("\"ü\" # comment", .string("ü")), ("0", .integer(0)), ("+5", .integer(5)),
    ("-1_000", .integer(-1000)), ("9223372036854775807", .integer(.max)),
    ("true", .boolean(true)), ("false", .boolean(false)), ("[]", .array([])),
    ("[ ]", .array([])), ("[1,2,]", .array([.integer(1), .integer(2)])),
    ("[\n# a\n'x', # b\r\n\n[true] ]", .array([.string("x"), .array([.boolean(true)])])),
  ])
  func `values are read as TOML defines them`(text: String, value: TOMLValue) throws {
    #expect(try read("k = \(text)") == [TOMLEntry(name: "k", value: value, line: 1)])
  }

  @Test func `keys belong to their tables and have line numbers`() throws {
    let entries = try read("a=1\r\n [ b ] \n\n c.d = 2 # x\n[e.f]\ng-1_ = [\n3]\nh = 4")
    #expect(entries.map(\.name) == ["a", "b.c.d", "e.f.g-1_", "e.f.h"])
    #expect(entries.map(\.line) == [1, 4, 6, 8])
  }

  @Test func `a quoted part of a key is the part without its quotes`() throws {
    let entries = try read("\"a.b\".'c' = 1\n[\"d\" . e]\n\"f\\u002Dg\" = 2\n")
    #expect(entries.map(\.name) == ["a.b.c", "d.e.f-g"])
    // Other readers refuse the second key without quotes, because the first one is a value.
    #expect(try read("a.com = 1\n\"a.com.au\" = 2").map(\.name) == ["a.com", "a.com.au"])
  }

  @Test(arguments: [
    ("k", "the key is not followed by \"=\""), ("= 1", "the key is missing"),
    ("a. = 1", "the key is missing"),
    ("\"\" = 1", "a key in quotes may contain only visible ASCII characters"),
    ("'a b' = 1", "a key in quotes may contain only visible ASCII characters"),
    ("\"\\u0007\" = 1", "a key in quotes may contain only visible ASCII characters"),
    ("k =", "the value is missing"), ("k = # c", "the value is missing"),
    ("k = 'a' 'b'", "there is text after the value"),
    ("k = \"a", "the string is not closed"), ("k = 'a", "the string is not closed"),
    ("k = \"\\", "the string contains an unknown escape"),
    ("k = \"\\x41\"", "the string contains an unknown escape"),
    ("k = \"\\uD800\"", "the string contains an invalid Unicode escape"),
    ("k = \"\\u12\"", "the string contains an invalid Unicode escape"),
    ("k = \"\"\"a\"\"\"", "multi-line strings are not supported"),
    ("k = '''a'''", "multi-line strings are not supported"),
    ("k = {a = 1}", "inline tables are not supported"),
    ("[a", "the table name has no closing \"]\""),
    ("[[a]", "the table name has no closing \"]]\""),
    ("[[a] ]", "the table name has no closing \"]]\""),
    ("[ [a]]", "the key is missing"), ("[[a]]]", "there is text after the value"),
    ("[[]]", "the key is missing"),
    ("[]", "the key is missing"), ("[a] b = 1", "there is text after the value"),
    ("k = [1", "the array has no closing \"]\""),
    ("k = [1 2]", "a value of the array is not followed by \",\" or \"]\""),
    ("k = [,]", "the value is missing"),
    (
      "k = [1.5]", "\"1.5\" is not a quoted string, a whole number, true or false"
    ),
    ("k = [01]", "\"01\" is not a quoted string, a whole number, true or false"),
    ("k = [yes]", "\"yes\" is not a quoted string, a whole number, true or false"),
    ("k = 1\nk = 2", "\"k\" is defined twice"),
    ("[a]\nb = 1\n[c]\n[a]", "the table \"a\" is defined twice"),
    ("[a.b]\n[a.b]", "the table \"a.b\" is defined twice"),
    (
      "[a]\n[[a]]", "\"a\" is a table already, so it cannot be an array of tables"
    ),
    (
      "[a.b]\n[[a]]", "\"a\" is a table already, so it cannot be an array of tables"
    ),
    (
      "a.b = 1\n[[a]]", "\"a\" is a table already, so it cannot be an array of tables"
    ),
    ("a = []\n[[a]]", "\"a\" is defined twice"),
    (
      "[[a]]\n[a]", "\"a\" is an array of tables, so the header needs \"[[\" and \"]]\""
    ),
    (
      "[[a]]\n[[a.b]]\n[a.b]",
      "\"a.1.b\" is an array of tables, so the header needs \"[[\" and \"]]\""
    ),
    ("[[a.b]]\n[a]\nb = 1", "\"a.b\" is an array of tables, so it cannot be set like a key"),
    ("[[a.b]]\n[a]\nb.c = 1", "\"a.b\" is an array of tables, so it cannot be set like a key"),
    ("[[a]]\nb = 1\nb = 2", "\"a.1.b\" is defined twice"),
    ("[[a]]\n[a.b]\n[a.b]", "the table \"a.1.b\" is defined twice"),
    ("k = 'a\u{1B}'", "it contains a control character"),
    ("# \u{7F}", "it contains a control character"),
  ])
  func `a parse error has a description`(text: String, detail: String) throws {
    let found = try #require(problem(Array(text.utf8)))
    #expect(found.detail == detail)
    #expect(found.line == text.utf8.count { $0 == 10 } + 1)
  }

  @Test(arguments: [
    "2M", "~/Downloads", "http://me:pw@host:1/?a=b", "1.5", "01", "1__0", "0x10",
    "9223372036854775808", "yes", "1 2", "true 'a'", ", 1", "-", "truefalse",
  ])
  func `an unquoted value is marked, and the lines around it are still read`(
    text: String
  ) throws {
    for end in ["", " ", " # it's \"2M\"", "\t\r"] {
      let entries = try read("a = 1\nk = \(text)\(end)\nb = 2")
      #expect(entries.map(\.name) == ["a", "k", "b"])
      #expect(entries.map(\.value) == [.integer(1), .unquoted, .integer(2)])
      #expect(entries.map(\.line) == [1, 2, 3])
    }
  }

  @Test func `bytes that are not text are reported with their line`() {
    let bytes = Array("a = 1\n# ".utf8) + [0xFF] + Array("\nb = 2".utf8)
    #expect(problem(bytes) == TOMLProblem(line: 2, detail: "it is not UTF-8 text"))
  }

  @Test func `the nesting of arrays is limited`() {
    func nested(_ depth: Int) -> [UInt8] {
      let text =
        "k = " + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      return Array(text.utf8)
    }
    #expect(problem(nested(8)) == nil)
    #expect(problem(nested(9))?.detail == "arrays are nested too deeply")
    #expect(problem(nested(100_000))?.detail == "arrays are nested too deeply")
  }

  @Test func `any bytes are parsed or rejected`() {
    let seed = UInt64.random(in: .min ... .max)
    print("TOML seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let alphabet = Array("[]=.\"'\\#{},\n\r\t _-+ut01ab\u{1}é".utf8) + [0xFF]
    for _ in 0..<3000 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        alphabet[Int.random(in: alphabet.indices, using: &random)]
      }
      if let found = problem(bytes) {
        #expect((1...41).contains(found.line) && !found.detail.isEmpty, "\(bytes)")
      }
    }
  }
}
