import Foundation
import Testing

@testable import KettleModel

struct TransferURLTests {
  private func url(_ text: String) throws -> TransferURL { try TransferURL.parse(text).get().url }

  @Test func `an origin consists of scheme, host and port`() throws {
    #expect(try url("http://h/a").origin == url("HTTP://H:80/b?c").origin)
    #expect(try url("http://h/").origin != url("https://h/").origin)
    #expect(try url("http://h/").origin != url("http://h:8080/").origin)
    #expect(try url("http://h/").origin != url("http://h./").origin)
    #expect(try url("http://h:8080/a").origin.text == "http://h:8080")
    #expect(try url("https://h:443/a").origin.text == "https://h")
    #expect(Origin(scheme: .https, host: "h", port: 80).text == "https://h:80")
  }

  @Test func `a URL is encoded as its text`() throws {
    let given = try url("http://[::1]:8080/ä?q#f")
    let data = try JSONEncoder().encode([given])
    #expect(try JSONDecoder().decode([String].self, from: data) == ["http://[::1]:8080/%C3%A4?q"])
    #expect(try JSONDecoder().decode([TransferURL].self, from: data) == [given])
    #expect("\(given)" == given.text)
  }

  @Test(arguments: ["\"\"", "\"nfs://h/\"", "\"http://h\\\\x\"", "5", "null"])
  func `text that is not a URL is not decoded`(json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([TransferURL].self, from: Data("[\(json)]".utf8))
    }
  }

  @Test(
    arguments: [
      ("", ""), ("abc", "abc"), ("%41%62", "Ab"), ("a%20b+c", "a b+c"), ("%C3%A4", "ä"),
      ("%2F%2f", "//"), ("ä", "ä"),
    ] as [(Substring, String)])
  func `escapes are decoded`(text: Substring, decoded: String) {
    #expect(TransferURL.percentDecoded(text) == decoded)
  }

  @Test(arguments: [
    "%", "%4", "%4g", "%g4", "a%", "%00", "%0a", "%1F", "%7f", "%ff", "%c3", "%ED%A0%80",
  ])
  func `escapes that are truncated, control characters or invalid UTF-8 are refused`(text: String) {
    #expect(TransferURL.percentDecoded(text[...]) == nil)
  }
}
