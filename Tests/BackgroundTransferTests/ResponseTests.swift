import BackgroundTransfer
import Foundation
import KettleControl
import KettleModel
import Testing

/// The response of a task, as its program sees it.
struct ResponseTests {
  /// The response of a task whose server sent these headers.
  private func response(
    _ headers: [(String, String)], name: String?
  ) throws -> HTTPURLResponse {
    let world = try SessionWorld()
    let task = world.session.downloadTask(with: SessionWorld.url)
    task.resume()
    _ = try world.service.added(1)
    try world.service.move(1, to: .running, .progress) {
      $0.bytesReceived = 1
      $0.task?.reply = ServerReply(
        url: $0.url, status: 203,
        headers: headers.map { HeaderField(received: $0.0, $0.1) }, suggestedName: name)
    }
    #expect(world.recorder.wait(for: "wrote 1 1 1 -1"))
    return try #require(task.response as? HTTPURLResponse)
  }

  private let headers = [
    ("Content-Type", "Text/Plain; charset=ISO-8859-1"), ("X-Part", "1"), ("x-part", "2"),
    ("ETag", "\"1\""),
  ]

  @Test func `a response has the name that the service chose and every header`() throws {
    let response = try response(headers, name: "book (1).txt")
    #expect(response.suggestedFilename == "book (1).txt")
    #expect(response.statusCode == 203)
    #expect(response.url == SessionWorld.url)
    #expect(response.mimeType == "text/plain")
    #expect(response.textEncodingName == "iso-8859-1")
    #expect(response.expectedContentLength == -1)
    #expect(response.value(forHTTPHeaderField: "x-part") == "1, 2")
    #expect(response.allHeaderFields.count == 3)
  }

  @Test func `a response without a name of the service has that of the server`() throws {
    let sent = ("Content-Disposition", "attachment; filename=\"tea.txt\"")
    #expect(try response([sent], name: nil).suggestedFilename == "tea.txt")
  }

  @Test func `a response can be copied and archived`() throws {
    let response = try response(headers, name: "book.txt")
    #expect((response.copy() as? HTTPURLResponse)?.suggestedFilename == "book.txt")
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: response, requiringSecureCoding: true)
    let back = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: HTTPURLResponse.self, from: archive))
    #expect(back.suggestedFilename == "book.txt")
    #expect(back.statusCode == 203)
    #expect(back.value(forHTTPHeaderField: "ETag") == "\"1\"")
  }
}
