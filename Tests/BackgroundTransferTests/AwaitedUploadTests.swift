import BackgroundTransfer
import Foundation
import KettleControl
import KettleModel
import Testing

struct AwaitedUploadTests {
  private var request: URLRequest {
    var request = URLRequest(url: SessionWorld.url)
    request.httpMethod = "PUT"
    return request
  }

  @Test func `after a relaunch the same call joins the upload that has ended`() async throws {
    let world = try SessionWorld()
    let file = URL(fileURLWithPath: world.service.root + "/book")
    try Data("12345".utf8).write(to: file)
    let answer = world.service.root + "/answer"
    try Data("Thank you".utf8).write(to: URL(fileURLWithPath: answer))
    let request = request
    let waiting = Task { try await world.session.upload(for: request, fromFile: file).0 }
    let left = try await world.service.added(1)
    var status = TaskStatus()
    status.reply = ServerReply(url: left.url.text, status: 201, headers: [])
    let ended = SessionTask(
      snapshot: TransferSnapshot(
        id: TransferID(rawValue: 101), session: left.session, taskIdentifier: 1, title: "b",
        url: left.url.text, state: .completed, path: answer,
        createdAt: WallTime(millisecondsSince1970: 0), task: status),
      spec: left)
    let next = try SessionWorld(prepare: { $0.change { $0.tasks[1] = ended } })
    let (data, response) = try await next.session.upload(for: request, fromFile: file)
    #expect(data == Data("Thank you".utf8))
    #expect((response as? HTTPURLResponse)?.statusCode == 201)
    #expect(next.service.requests.contains { $0.method == AddTransfers.name } == false)
    #expect(next.recorder.calls.isEmpty)
    waiting.cancel()
  }
}
