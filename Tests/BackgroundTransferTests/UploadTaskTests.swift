import BackgroundTransfer
import Foundation
import KettleModel
import Testing

struct UploadTaskTests {
  @Test func `an upload names its file and delivers the reply in pieces`() throws {
    let world = try SessionWorld()
    let file = URL(fileURLWithPath: world.service.root + "/book")
    try Data("12345".utf8).write(to: file)
    var request = URLRequest(url: SessionWorld.url)
    request.httpMethod = "PUT"
    let task = world.session.uploadTask(with: request, fromFile: file)
    task.resume()
    let spec = try world.service.added(1)
    #expect(
      spec.request
        == RequestContent(method: "PUT", body: .file(path: file.path, byteCount: 5)))
    #expect(spec.task?.kind == .upload)
    #expect(task.countOfBytesExpectedToSend == 5)
    try world.service.move(1, to: .running) { $0.task?.sentByteCount = 5 }
    try world.service.finish(1, content: String(repeating: "a", count: 70_000), status: 201)
    #expect(world.recorder.wait(for: "completed 1 0"))
    #expect(
      world.recorder.calls == [
        "sent 1 5 5 5", "received 1 65536", "received 1 4464", "completed 1 0",
      ])
    #expect((task.response as? HTTPURLResponse)?.statusCode == 201)
  }

  @Test func `a missing file fails`() throws {
    let world = try SessionWorld()
    let task = world.session.uploadTask(
      with: URLRequest(url: SessionWorld.url), fromFile: URL(fileURLWithPath: "/nonexistent/b"))
    task.resume()
    #expect(world.recorder.wait(for: "completed \(task.taskIdentifier) -1100"))
  }
}
