import Testing

@testable import KettleRPC

struct JSONTests {
  private func read(_ text: String) throws -> RPCValue {
    try JSONReader.value(Array(text.utf8))
  }

  @Test func `every kind of value is read`() throws {
    let value = try read(
      #" {"a":[1,-2.5,1e3,true,false,null],"b":"x\n\u00e9\ud83d\ude00\/","c":{}} "#)
    #expect(
      value
        == .object([
          "a": [.integer(1), .real(-2.5), .real(1000), .boolean(true), .boolean(false), .null],
          "b": "x\né😀/", "c": .object([:]),
        ]))
  }

  @Test(arguments: [
    "", " ", "{", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "tru", "nul", "01x", "-", "1.",
    "1e", ".5", "+1", "\"", "\"\\x\"", "\"\\u12\"", "\"a\nb\"", "[1]]", "'a'", "NaN", "1e999",
  ])
  func `text that is not JSON is refused`(text: String) {
    #expect(throws: JSONReader.Problem.malformed) { try JSONReader.value(Array(text.utf8)) }
  }

  @Test func `bytes that are not UTF-8 are refused in texts`() {
    #expect(throws: JSONReader.Problem.malformed) {
      try JSONReader.value([UInt8(ascii: "\""), 0xFF, UInt8(ascii: "\"")])
    }
  }

  @Test func `half of a surrogate pair becomes a replacement character`() throws {
    #expect(try read(#""\ud83d""#) == "\u{FFFD}")
    #expect(try read(#""\ud83dx""#) == "\u{FFFD}x")
    #expect(try read(#""\ud83d\u0041""#) == "\u{FFFD}A")
    #expect(try read(#""\udc00""#) == "\u{FFFD}")
  }

  @Test func `depth and size are bounded`() {
    let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    #expect(throws: JSONReader.Problem.tooDeep) { try JSONReader.value(Array(deep.utf8)) }
    let many = "[" + String(repeating: "1,", count: RPCLimits.valueCountMax) + "1]"
    #expect(throws: JSONReader.Problem.tooMany) { try JSONReader.value(Array(many.utf8)) }
  }

  @Test func `a number beyond 64 bits is not a whole one`() throws {
    #expect(try read("9223372036854775807") == .integer(.max))
    #expect(try read("9223372036854775808") == .real(9_223_372_036_854_775_808))
    #expect(try read("9223372036854775808").integer == nil)
  }

  @Test func `what is written is read again`() throws {
    let value: RPCValue = [
      "b": "\u{0}\u{1F}\"\\/\u{7F}é\u{2028}", "a": [.integer(-1), .null, .boolean(true)],
      "c": .real(0.5),
    ]
    let bytes = JSONWriter.bytes(value)
    #expect(try JSONReader.value(bytes) == value)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "{\"a\":[-1,null,true],\"b\":\"\\u0000\\u001f\\\"\\\\/\u{7F}é\u{2028}\",\"c\":0.5}")
  }
}
