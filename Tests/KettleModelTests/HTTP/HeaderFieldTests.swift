import Foundation
import Testing

@testable import KettleModel

struct HeaderFieldTests {
  @Test(arguments: [
    ("Accept: text/html", "Accept", "text/html"),
    ("X-Token:abc", "X-Token", "abc"),
    ("X-Time: 12:30:00", "X-Time", "12:30:00"),
    ("X-Empty:", "X-Empty", ""),
    ("X-Blanks: \t a\tb \t ", "X-Blanks", "a\tb"),
    ("X-Name: ä", "X-Name", "ä"),
    ("!#$%&'*+-.^_`|~09azAZ: x", "!#$%&'*+-.^_`|~09azAZ", "x"),
  ])
  func `a header line is parsed as typed`(line: String, name: String, value: String) {
    let field = HeaderField(line)
    #expect(field?.name == name)
    #expect(field?.value == value)
  }

  @Test(arguments: [
    "", ":", ": x", "no colon", "Bad Name: x", " Name: x", "Name : x", "Nämé: x", "(x): y",
    "a\"b: x",
    "X: a\r\nHost: evil", "X: a\nb", "X\n: a", "X: a\r", "X: \u{0}", "X: a\u{7F}", "X: a\u{1B}[0m",
  ])
  func `text that could become another header is rejected`(line: String) {
    #expect(HeaderField(line) == nil)
  }

  @Test func `a received header is kept unchanged`() {
    let field = HeaderField(received: "bad name", " value\t")
    #expect(field.name == "bad name")
    #expect(field.value == " value\t")
  }

  @Test func `a field survives coding`() throws {
    let field = try #require(HeaderField(name: "X-Token", value: "abc"))
    let data = try JSONEncoder().encode(field)
    #expect(try JSONDecoder().decode(HeaderField.self, from: data) == field)
  }

  @Test(arguments: [
    #"{"name": "X", "value": "a\r\nHost: evil"}"#, #"{"name": "X\n", "value": "a"}"#,
    #"{"name": "X", "value": "a\u0000"}"#, #"{"name": "", "value": "a"}"#, #"{"name": "X"}"#,
  ])
  func `an invalid header field is not decoded`(json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(HeaderField.self, from: Data(json.utf8))
    }
  }
}
