import Foundation
import KettleModel
import Testing
import TestSupport

/// The host that a browser starts, with the real service.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RealBrowserTests {
  private let home: KettleHome

  init() throws { home = try KettleHome() }

  private struct Manifest: Decodable {
    var path: String
  }

  private func framed(_ message: String) -> Data {
    withUnsafeBytes(of: UInt32(message.utf8.count)) { Data($0) } + Data(message.utf8)
  }

  /// Sends requests to the host as a browser does, and returns its replies as one text.
  private func replies(to requests: String...) async throws -> String {
    let input = home.path + "/requests"
    let link = home.path + "/kettle-native-host"
    try? FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: KettleHome.program)
    try requests.map(framed).reduce(Data(), +).write(to: URL(filePath: input))
    let ended = try await home.run(
      "/bin/sh", "-c", "exec \"$0\" chrome-extension://abc/ <\"$1\" >\"$2\"", link, input,
      home.path + "/replies")
    #expect(ended.code == 0, "\(ended.errors)")
    return String(
      decoding: try Data(contentsOf: URL(filePath: home.path + "/replies")), as: UTF8.self)
  }

  @Test func `the same file from the same page continues a download whose link is dead`()
    async throws
  {
    let body = SeededBody(seed: 24, byteCount: 6_000_000)
    // A small buffer, so that nearly all sent bytes were read.
    let origin = try ScriptedOrigin(sendBufferByteCount: 64 << 10)
    func add(_ path: String, _ rest: String) throws -> String {
      #"{"id":1,"method":"add","download":{"url":"\#(try origin.url(path).text)","#
        + #""name":"a.bin","page":"https://page.example/files","byteCount":6000000\#(rest)}}"#
    }
    origin.serve(OriginBehavior(body).stuck(after: 2_000_000), at: "/old")
    #expect(try await replies(to: add("/old", "")).contains(#"{"transfer":1}"#))
    try await origin.waitForBytesSent(2_000_000, at: "/old")
    #expect(try await home.kettle("pause", "1").code == 0)
    origin.serve(.status(403, headers: [], text: "expired"), at: "/old")
    #expect(try await home.kettle("start", "1").code == 0)
    #expect(try await home.kettle("wait", "1", "--timeout", "60").code == 1)
    let why = try await home.kettle("why", "1").output
    #expect(why.contains("The page that it came from: \"https://page.example/files\""), "\(why)")

    origin.serve(OriginBehavior(body), at: "/new")
    let given = try await replies(
      to: add("/new", #","isPaused":true"#), #"{"id":2,"method":"begin","transfer":2}"#)
    #expect(given.contains(#"{"id":2,"result":{"continued":"a.bin","transfer":1}}"#), "\(given)")
    #expect(try await home.kettle("wait", "1", "--timeout", "60").code == 0)
    #expect(body.difference(fromFileAt: home.downloads + "/a.bin") == nil)
    #expect(try await home.rows().count == 1)
    let request = try #require(origin.requests(at: "/new").first)
    #expect(request.value(of: "Range")?.hasPrefix("bytes=") == true)
  }

  @Test func `the program of the manifest queues a download and ends with its input`() async throws
  {
    let installed = try await home.kettle("browser", "install", "--browser", "chromium")
    #expect(installed.code == 0, "\(installed.errors)")
    let file = home.path + "/.config/chromium/NativeMessagingHosts/org.example.kettle.json"
    let manifest = try JSONDecoder().decode(
      Manifest.self, from: Data(contentsOf: URL(filePath: file)))

    let input = home.path + "/requests"
    let requests =
      framed(#"{"id":1,"method":"add","download":{"url":"http://127.0.0.1:1/f"}}"#)
      + framed(#"{"id":2,"method":"list"}"#)
    try requests.write(to: URL(filePath: input))
    let ended = try await home.run(
      "/bin/sh", "-c", "exec \"$0\" chrome-extension://abc/ <\"$1\" >\"$2\"", manifest.path, input,
      home.path + "/replies")
    #expect(ended.code == 0, "\(ended.errors)")
    let replies = String(
      decoding: try Data(contentsOf: URL(filePath: home.path + "/replies")), as: UTF8.self)
    #expect(replies.contains(#"{"id":1,"result":{"transfer":1}}"#))
    #expect(replies.contains(#""unfinishedCount":1"#))
    let listed = try await home.kettle("list", "--json")
    #expect(listed.output.contains("http://127.0.0.1:1/f"))
  }

  @Test func `a link queues a paused download and nothing else`() async throws {
    let opened = try await home.kettle(
      "open-link", "kettle://add?url=http%3A%2F%2F127.0.0.1%3A1%2Ff")
    #expect(opened.code == 0, "\(opened.errors)")
    #expect(opened.output.hasPrefix("1 paused: \"http://127.0.0.1:1/f\"\n"))
    let listed = try await home.kettle("list", "--json")
    #expect(listed.output.contains("\"state\": \"paused\""))
    let refused = try await home.kettle("open-link", "kettle://add?url=file:///etc/passwd")
    #expect(refused.code == 2)
  }
}
