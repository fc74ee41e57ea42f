import BackgroundTransfer
import Foundation
import KettleModel
import TestSupport
import Testing

/// Data tasks of background sessions, which end with the program.
@Suite(.timeLimit(.minutes(5)))
struct DataTaskTests {
  private let origin: ScriptedOrigin
  private let listener = Listener()

  init() throws {
    origin = try ScriptedOrigin()
    origin.serve(.whole(Array("hello world".utf8), mediaType: "text/plain"), at: "/hello")
  }

  private func request(_ path: String) throws -> URLRequest {
    URLRequest(url: try #require(URL(string: try origin.url(path).text)))
  }

  private func session(of service: FakeService) -> URLSession {
    let configuration = URLSessionConfiguration.background(withIdentifier: UUID().uuidString)
    configuration.servicePaths = service.paths
    configuration.serviceExecutable = "/nonexistent/kettle"
    return URLSession(configuration: configuration, delegate: listener, delegateQueue: nil)
  }

  @Test func `a data task runs without a service, and follows redirects`() async throws {
    let session = session(of: try FakeService())
    origin.serveRedirects(1, from: "/moved", to: "/hello")
    let task = session.dataTask(with: try request("/moved"))
    #expect(task.taskIdentifier == -1 && task.state == .suspended)
    task.resume()
    #expect(
      await listener.calls(until: "completed") == [
        "response 200", "data 11", "completed completed 0",
      ])
    #expect(task.currentRequest?.url?.path == "/hello")
    #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
  }

  @Test func `a session lists its data tasks, and ends after them`() async throws {
    let service = try FakeService()
    try service.start()
    let session = session(of: service)
    let task = session.dataTask(with: try request("/hello"))
    let download = session.downloadTask(with: SessionWorld.url)
    #expect(await session.allTasks == [task, download])
    #expect(await session.tasks.0 == [task])
    download.cancel()
    session.finishTasksAndInvalidate()
    session.dataTask(with: try request("/hello")).resume()
    task.resume()
    let calls = await listener.calls(until: "invalid")
    #expect(
      calls.filter { !$0.hasPrefix("completed") } == ["response 200", "data 11", "invalid true"])
    #expect(
      Set(calls.filter { $0.hasPrefix("completed") }) == [
        "completed completed -999", "completed completed -1", "completed completed 0",
      ])
    #expect(calls.last == "invalid true")
    #expect(await session.allTasks.isEmpty)
  }

  @Test func `invalidation cancels data tasks`() async throws {
    let service = try FakeService()
    try service.start()
    let session = session(of: service)
    session.dataTask(with: try request("/hello")).suspend()
    session.invalidateAndCancel()
    #expect(
      await listener.calls(until: "invalid") == ["completed completed -999", "invalid true"])
  }

  @Test func `bytes can be read in a background session`() async throws {
    let session = session(of: try FakeService())
    let (bytes, _) = try await session.bytes(for: try request("/hello"))
    var text = ""
    for try await line in bytes.lines { text += line }
    #expect(text == "hello world")
    #expect(bytes.task.taskIdentifier == -1)
  }
}
