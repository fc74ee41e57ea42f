import Foundation
import Testing

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
