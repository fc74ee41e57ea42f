import FoundationEssentials
import KettleControl
import KettleModel
import Testing

struct AddURLsTests {
  private let coder = RequestCoder()

  private func urls(_ texts: String...) throws -> [TransferURL] {
    try texts.map { try TransferURL.parse($0).get().url }
  }

  private func decode(_ params: String) -> ReceivedRequest {
    coder.decode(
      bytes(#"{"jsonrpc":"2.0","id":1,"method":"transfers.addURLs","params":\#(params)}"#))
  }

  private func refused(_ code: ControlError.Code, _ message: String) -> ReceivedRequest {
    .refused(.number(1), ControlError(code, message))
  }

  @Test func `the request has exactly this text`() throws {
    let urls = try urls("https://example.org/a", "http://h:8080/b?c=1")
    var spec = TransferSpec(url: urls[0])
    spec.title = "\"T\""
    let params = try #require(AddURLs.Params(urls: urls, template: spec, requestID: "r/1"))
    #expect(
      text(try coder.encode(AddURLs.self, params, id: 5))
        == #"""
        {"jsonrpc":"2.0","id":5,"method":"transfers.addURLs","params":{"requestID":"r/1",\#
        "template":{"beginning":"queued","headers":[],"onConflict":"rename",\#
        "priority":{"value":0.5},"session":"kettle","title":"\"T\"","trustedServers":[]},\#
        "urls":["https://example.org/a","http://h:8080/b?c=1"]}}
        """#
    )
  }

  @Test(arguments: [
    "https://example.org/a b", "https://example.org/\"'\"", "https://bücher.example/ü?ö=é#x",
    "https://example.org/%22%5C%00", "http://[::1]:81/~{x}", "https://example.org:443/?",
  ])
  func `the encoding equals that of Foundation`(address: String) throws {
    // A blank in a URL is encoded.
    let address = address.replacing(" ", with: "%20")
    let urls = try urls(address, address)
    let spec = TransferSpec(url: urls[0])
    let params = try #require(AddURLs.Params(urls: urls, template: spec))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let line = text(try coder.encode(AddURLs.self, params, id: 1))
    let expected = String(decoding: try encoder.encode(params), as: UTF8.self)
    #expect(line.hasSuffix("\"params\":" + expected + "}"))
    #expect(coder.decode(bytes(line)) == .request(.number(1), .addURLs(params)))
  }

  @Test func `each URL becomes a transfer with the template's properties`() throws {
    let urls = try urls("https://example.org/a", "https://example.org/b")
    var spec = TransferSpec(url: try self.urls("https://elsewhere.example/")[0])
    spec.login = Login(user: "u", password: "p")
    let params = try #require(AddURLs.Params(urls: urls, template: spec))
    #expect(params.transfers.map(\.url).elementsEqual(urls))
    #expect(params.transfers.allSatisfy { $0.login == spec.login })
    #expect(AddURLs.Params(urls: [], template: spec) == nil)
  }

  @Test func `without a template all properties have their defaults`() throws {
    let urls = try urls("https://example.org/a")
    let params = try #require(
      AddURLs.Params(urls: urls, template: TransferSpec(url: urls[0])))
    #expect(
      decode(#"{"urls":["https://example.org/a"]}"#) == .request(.number(1), .addURLs(params)))
  }

  @Test(
    arguments: [
      (#"{}"#, "params.urls"), (#"{"urls":[]}"#, "params.urls"), (#"{"urls":7}"#, "params.urls"),
      (#"{"urls":["https://a.example/","nope"]}"#, "params.urls[1]"),
      (#"{"urls":["https://a.example/","https://b.example/",7]}"#, "params.urls[2]"),
      (#"{"urls":["https://u:p@a.example/"]}"#, "params.urls[0]"),
      (#"{"urls":["https://a.example/"],"template":7}"#, "params.template"),
      (
        #"{"urls":["https://a.example/"],"template":{"connections":"4"}}"#,
        "params.template.connections"
      ),
      (#"{"urls":["https://a.example/"],"requestID":""}"#, "params.requestID"),
      (#"{"urls":["https://a.example/"],"requestID":7}"#, "params.requestID"),
    ] as [(String, String)])
  func `undecodable values are refused with their path`(params: String, place: String) {
    #expect(decode(params) == refused(.invalidParams, place))
  }

  @Test(
    arguments: [
      (#"{"directory":"data"}"#, "params.template.directory")
    ] as [(String, String)])
  func `an invalid template is refused`(template: String, place: String) {
    let params = #"{"urls":["https://a.example/"],"template":\#(template)}"#
    #expect(decode(params) == refused(.refusedSpec, place))
  }

  // Fault 86
  @Test(arguments: [
    "", ".", "..", "a/b", "/", "a\\u0000b", "a\\u001B[2J", String(repeating: "n", count: 251),
  ])
  func `a name that is none is refused`(name: String) {
    let params = #"{"urls":["https://a.example/"],"template":{"name":"\#(name)"}}"#
    #expect(decode(params) == refused(.refusedSpec, "params.template.name"))
  }

  @Test func `a task must be added by itself`() throws {
    let urls = try urls("https://example.org/a")
    var spec = TransferSpec(url: urls[0])
    spec.session = SessionID(rawValue: "org.example.app")
    spec.task = TaskOptions(kind: .download)
    let params = try #require(AddURLs.Params(urls: urls, template: spec))
    #expect(
      coder.decode(try coder.encode(AddURLs.self, params, id: 1))
        == refused(.refusedSpec, "params.template.task"))
  }

  @Test func `too many URLs are refused`() {
    func params(_ count: Int) -> String {
      let list = Array(repeating: #""http://a""#, count: count).joined(separator: ",")
      return "{\"urls\":[\(list)]}"
    }
    #expect(decode(params(AddURLs.countMax + 1)) == refused(.invalidParams, "params.urls"))
    guard case .request(_, .addURLs(let most)) = decode(params(AddURLs.countMax)) else {
      Issue.record("as many as may be are taken")
      return
    }
    #expect(most.urls.count == AddURLs.countMax)
  }
}
