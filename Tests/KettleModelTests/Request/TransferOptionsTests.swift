import Foundation
import Testing

@testable import KettleModel

struct TransferOptionsTests {
  @Test func `options without a choice are an empty object`() throws {
    let data = try JSONEncoder().encode(TransferOptions.none)
    #expect(String(decoding: data, as: UTF8.self) == "{}")
    #expect(try JSONDecoder().decode(TransferOptions.self, from: data) == .none)
  }

  @Test(arguments: [
    (ProxyChoice.direct, "{}"), (.server("http://h:1"), #"{"url":"http:\/\/h:1"}"#),
    (.environment(ProxyEnvironment()), #"{"exceptions":"","ftp":"","http":"","https":""}"#),
  ])
  func `a choice of proxies is one object`(choice: ProxyChoice, text: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(choice)
    #expect(String(decoding: data, as: UTF8.self) == text)
    #expect(try JSONDecoder().decode(ProxyChoice.self, from: data) == choice)
  }

  @Test func `the environment names the proxies as libcurl reads it`() {
    let values = ProxyEnvironment([
      "http_proxy": "http://a:1", "HTTP_PROXY": "http://never:1", "ALL_PROXY": "socks5h://b:2",
      "https_proxy": "", "no_proxy": "localhost",
    ])
    #expect(values.http == "http://a:1")
    #expect(values.https == "socks5h://b:2")
    #expect(values.exceptions == "localhost")
    #expect(ProxyEnvironment([:]) == ProxyEnvironment())
  }

  @Test func `a new file gets what the mask leaves`() {
    #expect(FilePermissions(mask: 0o077).rawValue == 0o600)
    #expect(FilePermissions(mask: 0o002).rawValue == 0o664)
    #expect(FilePermissions(rawValue: 0o755) == nil)
  }

  @Test func `a program to start is encoded as its words`() throws {
    var options = TransferOptions()
    options.then = try HookCommand.make(["unzip", "-o", "{path}"]).get()
    let data = try JSONEncoder().encode(options)
    #expect(String(decoding: data, as: UTF8.self) == #"{"then":["unzip","-o","{path}"]}"#)
    #expect(try JSONDecoder().decode(TransferOptions.self, from: data) == options)
  }

  @Test func `mirrors are encoded in their order`() throws {
    var options = TransferOptions()
    options.mirrors = try ["http://b/f", "http://a/f"].map { try TransferURL.parse($0).get().url }
    let data = try JSONEncoder().encode(options)
    #expect(String(decoding: data, as: UTF8.self).contains("mirrors"))
    #expect(try JSONDecoder().decode(TransferOptions.self, from: data) == options)
  }
}
