import KettleModel
import Testing

@testable import KettleCollections

struct ListedJSONTests {
  private struct Value: Decodable {
    var a: ListedScalar?
    var b: Int?
  }

  private func value(_ text: String) -> Value? {
    ListedJSON.decode(Value.self, from: Array(text.utf8))
  }

  @Test(arguments: [
    (#"{"a": "x"}"#, "x"), (#"{"a": 12}"#, "12"), (#"{"a": -1}"#, "-1"), (#"{"a": true}"#, "true"),
    (#"{"a": false, "c": [{}]}"#, "false"), (#"{"a": null}"#, nil), (#"{"a": [1]}"#, nil),
    (#"{"a": {"b": 1}}"#, nil), (#"{"a": 1e400}"#, nil), (#"{"a": 99999999999999999999}"#, nil),
  ])
  func `a scalar has the text of a string, a number or a boolean`(text: String, scalar: String?)
    throws
  {
    #expect(try #require(value(text)).a?.text == scalar)
  }

  @Test(arguments: [
    (#"{"a": "12"}"#, 12), (#"{"a": 12}"#, 12), (#"{"a": "-1"}"#, nil), (#"{"a": -1}"#, nil),
    (#"{"a": "9223372036854775807"}"#, Int64.max), (#"{"a": "9223372036854775808"}"#, nil),
    (#"{"a": " 1"}"#, nil),
  ])
  func `a size is not negative`(text: String, byteCount: Int64?) throws {
    #expect(try #require(value(text)).a?.byteCount == byteCount)
  }

  @Test(arguments: ["", "{", "[]", "x", #"{"b": "1"}"#, "{\"a\": \"\u{0}\"}", "{}{}"])
  func `other text is not decoded`(text: String) {
    #expect(value(text) == nil)
  }

  @Test func `bytes that are not UTF-8 are not decoded`() {
    #expect(ListedJSON.decode(Value.self, from: Array(#"{"a":""#.utf8) + [0xFF, 34, 125]) == nil)
    #expect(ListedJSON.decode(Value.self, from: [0xFE, 0xFF, 0, 0x7B, 0, 0x7D]) == nil)
  }

  @Test func `deep nesting is not decoded`() {
    let deep = String(repeating: "[", count: 100_000)
    #expect(value(deep) == nil)
    #expect(value(#"{"c": "# + deep) == nil)
    #expect(value(String(repeating: #"{"c":"#, count: 100_000)) == nil)
    #expect(value(#"{"c": "\"[[["# + String(repeating: "[", count: 100) + #""}"#) != nil)
  }

  @Test func `a value of any shape is decoded`() throws {
    let text = #"{"a": [1, "x", null, [true], {}, 1e99], "b": {"c": {"d": 5}}, "e": null}"#
    let value = try #require(ListedJSON.decode(ListedValue.self, from: Array(text.utf8)))
    #expect(value["a"]?.items?.map(\.text) == ["1", "x", nil, nil, nil, nil])
    #expect(value["a"]?.items?.map(\.items?.count) == [nil, nil, 0, 1, nil, nil])
    #expect(value["b"]?["c"]?["d"]?.scalar.byteCount == 5)
    #expect(value["e"]?.items?.isEmpty == true && value["e"]?.fields.isEmpty == true)
    #expect(value["x"] == nil && value["a"]?["x"] == nil && value["b"]?.items == nil)
  }
}
