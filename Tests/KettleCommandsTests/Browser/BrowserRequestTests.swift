import KettleControl
import KettleModel
import KettleRPC
import Testing

@testable import KettleCommands

struct BrowserRequestTests {
  private func request(_ text: String) -> BrowserRequest { BrowserRequest(Array(text.utf8)) }

  /// The transfer of a request to add `object`, written without braces.
  private func spec(_ object: String) throws -> TransferSpec {
    let call = try request(#"{"id":1,"method":"add","download":{"# + object + "}}").call.get()
    guard case .add(let download) = call else { throw BrowserRequest.Problem.property("call") }
    return download.spec
  }

  @Test func `requests are read`() {
    #expect(request(#"{"id":7,"method":"hello"}"#).id == .integer(7))
    #expect(request(#"{"id":7,"method":"hello"}"#).call == .success(.hello))
    #expect(request(#"{"id":"a","method":"list"}"#).id == "a")
    #expect(request(#"{"method":"list"}"#).call == .success(.list))
    #expect(
      request(#"{"method":"pause","transfer":3}"#).call
        == .success(.control(.pause, TransferID(rawValue: 3))))
    #expect(
      request(#"{"method":"begin","transfer":3}"#).call
        == .success(.begin(TransferID(rawValue: 3))))
    #expect(
      request(#"{"method":"start","transfer":-1}"#).call
        == .success(.control(.start, TransferID(rawValue: -1))))
  }

  @Test(
    arguments: [
      ("", .notJSON), ("\u{0}", .notJSON), ("[]", .notJSON), ("{\"a\":}", .notJSON),
      ("{}", .property("method")), (#"{"method":7}"#, .property("method")),
      (#"{"method":"rm"}"#, .unknownMethod("rm")),
      (#"{"method":"add"}"#, .property("download")),
      (#"{"method":"add","download":[]}"#, .property("download")),
      (#"{"method":"add","download":{}}"#, .property("url")),
      (#"{"method":"add","download":{"url":7}}"#, .property("url")),
      (
        #"{"method":"add","download":{"url":"file:///etc/passwd"}}"#,
        .url("file:///etc/passwd", .schemeUnsupported("file"))
      ),
      (#"{"method":"pause"}"#, .property("transfer")),
      (#"{"method":"pause","transfer":"3"}"#, .property("transfer")),
      (#"{"method":"pause","transfer":1e400}"#, .notJSON),
    ] as [(String, BrowserRequest.Problem)])
  func `everything else is refused`(text: String, problem: BrowserRequest.Problem) {
    #expect(request(text).call == .failure(problem))
  }

  @Test func `a long or structured id is not repeated`() {
    #expect(request(#"{"id":[1],"method":"hello"}"#).id == .null)
    let long = String(repeating: "a", count: 65)
    #expect(request(#"{"id":""# + long + #"","method":"hello"}"#).id == .null)
  }

  @Test func `deep and broken texts end with a problem`() {
    let deep = String(repeating: "[", count: 100_000)
    #expect(request(deep).call == .failure(.notJSON))
    #expect(BrowserRequest([0xFF, 0xFE, 0x22]).call == .failure(.notJSON))
  }

  @Test func `a download has what its server has to see`() throws {
    let spec = try spec(
      #"""
      "url": "https://me:pw@files.example/d/f?x=1#part", "name": "The file.iso",
      "referrer": "https://me:pw@page.example/a?b#c", "userAgent": "Mozilla/5.0 (X11)",
      "cookies": [
        {"name": "sid", "value": "a=b", "domain": ".Files.example", "hostOnly": false, "path": "/d",
          "secure": true},
        {"name": "one", "value": "1", "domain": "files.example", "hostOnly": true, "path": "/",
          "secure": false}]
      """#)
    #expect(spec.url.text == "https://files.example/d/f?x=1")
    #expect(spec.login == Login(user: "me", password: "pw"))
    #expect(spec.name?.text == "The file.iso")
    #expect(spec.directory == nil)
    #expect(
      spec.headers.map { "\($0.name): \($0.value)" }
        == ["Referer: https://page.example/a?b", "User-Agent: Mozilla/5.0 (X11)"])
    #expect(
      spec.options.cookies == [
        Cookie(
          name: "sid", value: "a=b", domain: "files.example", includesSubdomains: true,
          path: "/d", isSecure: true),
        Cookie(name: "one", value: "1", domain: "files.example"),
      ])
    #expect(spec.beginning == .queued)
  }

  @Test(
    arguments: [
      ("../../.bashrc", "_bashrc"), ("/etc/cron.d/job", "job"), ("C:\\\\x\\\\y.exe", "y.exe"),
      (".profile", "_profile"), ("..", nil), ("", nil), ("a\\u0000b", "a_b"),
      ("a\\nb", "a_b"), ("-rf", "_rf"), ("ok", "ok"),
    ] as [(String, String?)])
  func `a name of a page is harmless`(name: String, used: String?) throws {
    #expect(try spec(#""url":"http://a/","name":""# + name + "\"").name?.text == used)
  }

  @Test func `what would break a request is left out`() throws {
    let spec = try spec(
      #"""
      "url": "http://a.example/", "directory": "/etc", "headers": ["Range: bytes=0-1"],
      "referrer": "javascript:alert(1)", "userAgent": "a\r\nX-Evil: 1",
      "cookies": [7, {}, {"name": "a", "value": "b"}, {"name": "a", "value": "b", "domain": "."},
        {"name": "a;b", "value": "c", "domain": "a.example"},
        {"name": "a", "value": "b\r\nX: y", "domain": "a.example"}]
      """#)
    #expect(spec.headers == [])
    #expect(spec.options.cookies == [])
    #expect(spec.directory == nil)
    #expect(spec.name == nil)
  }

  @Test func `the page is one of the web, without a login and a fragment`() throws {
    let page = #""page":"https://me:pw@page.example/a?b#c","byteCount":"#
    let kept = try spec(#""url":"http://a.example/","# + page + "5000").options.page
    #expect(kept?.url.text == "https://page.example/a?b")
    #expect(kept?.byteCount == 5000)
    for size in ["-1", "0", "\"5\"", "null", "1.5"] {
      let unsized = try spec(#""url":"http://a.example/","# + page + size).options.page
      #expect(unsized?.url == kept?.url)
      #expect(unsized?.byteCount == nil, "\(size)")
    }
    for text in [
      "javascript:alert(1)", "file:///etc/passwd", "about:blank", "ftp://a/", "--help", "a\\nb",
    ] {
      let spec = try spec(#""url":"http://a.example/","page":""# + text + "\"")
      #expect(spec.options.page == nil, "\(text)")
    }
    #expect(try spec(#""url":"ftp://a/f","page":"https://page.example/""#).options.page == nil)
  }

  @Test func `a cookie without its properties goes to the fewest places`() throws {
    let spec = try spec(
      #""url":"http://a.example/","cookies":[{"name":"a","value":"b","domain":"a.example"}]"#)
    #expect(
      spec.options.cookies == [Cookie(name: "a", value: "b", domain: "a.example", isSecure: true)])
  }

  @Test func `a download can wait until the browser has given it up`() throws {
    #expect(try spec(#""url":"http://a/","isPaused":true"#).beginning == .paused)
    #expect(try spec(#""url":"http://a/","isPaused":"no""#).beginning == .queued)
    #expect(
      request(#"{"method":"remove","transfer":3}"#).call
        == .success(.control(.remove, TransferID(rawValue: 3))))
  }

  @Test func `too many cookies are cut`() throws {
    let cookie = #"{"name":"a","value":"b","domain":"a.example"}"#
    let list = Array(repeating: cookie, count: 1000).joined(separator: ",")
    let spec = try spec(#""url":"http://a.example/","cookies":["# + list + "]")
    #expect(spec.options.cookies.count == TransferOptions.cookieCountMax)
  }

  @Test func `a file server gets no headers of HTTP`() throws {
    let spec = try spec(
      #""url":"ftp://a.example/f","referrer":"http://b/","userAgent":"x","cookies":[]"#)
    #expect(spec.headers == [])
  }
}
