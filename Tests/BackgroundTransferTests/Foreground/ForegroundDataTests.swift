import BackgroundTransfer
import Foundation
import KettleSystem
import TestSupport
import Testing

struct ForegroundDataTests {
  @Test func `a data task passes its response to the delegate`() async throws {
    let world = try ForegroundWorld()
    let task = world.session.dataTask(with: try world.request("/hello"))
    #expect(task.state == .suspended)
    task.taskDescription = "greeting"
    task.resume()
    #expect(
      await world.listener.calls(until: "completed") == [
        "response 200", "data 11", "completed completed 0",
      ])
    #expect(String(decoding: world.listener.body, as: UTF8.self) == "hello world")
    #expect((task.response as? HTTPURLResponse)?.mimeType == "text/plain")
    #expect(task.countOfBytesReceived == 11)
    #expect(task.countOfBytesExpectedToReceive == 11)
    #expect(task.progress.fractionCompleted == 1)
    #expect(task.taskDescription == "greeting")
    #expect(task.error == nil)
    #expect(await world.session.allTasks.isEmpty)
  }

  @Test func `a completion handler receives the response on the delegate queue`() async throws {
    let world = try ForegroundWorld()
    let request = try world.request("/hello")
    let queue = world.session.delegateQueue
    let (text, status, isOnQueue) = await withCheckedContinuation { continuation in
      world.session.dataTask(with: request) { data, response, error in
        let text = data.map { String(decoding: $0, as: UTF8.self) }
        continuation.resume(
          returning: (
            text, (response as? HTTPURLResponse)?.statusCode, OperationQueue.current === queue
          ))
      }.resume()
    }
    #expect(text == "hello world")
    #expect(status == 200)
    #expect(isOnQueue)
    #expect(world.listener.calls == [])
  }

  @Test func `an error status is a response, and a refused connection is an error`() async throws {
    let world = try ForegroundWorld()
    world.origin.serve(.status(404, text: "nothing"), at: "/missing")
    let (data, response) = try await world.session.data(from: try world.url("/missing"))
    #expect(String(decoding: data, as: UTF8.self) == "nothing")
    #expect((response as? HTTPURLResponse)?.statusCode == 404)
    let request = try world.request("/hello")
    world.origin.stop()
    let error = await #expect(throws: URLError.self) {
      try await world.session.data(for: request)
    }
    #expect(error?.code == .cannotConnectToHost)
    #expect(error?.failingURL == request.url)
  }

  @Test func `the headers of the configuration are sent`() async throws {
    let configuration = URLSessionConfiguration.default
    configuration.httpAdditionalHeaders = ["X-Reader": "17", "Accept": "text/plain"]
    let world = try ForegroundWorld(configuration)
    var request = try world.request("/hello")
    request.setValue("*/*", forHTTPHeaderField: "Accept")
    _ = try await world.session.data(for: request)
    let received = try await world.origin.waitForRequests()
    #expect(received.values(of: "X-Reader") == ["17"])
    #expect(received.values(of: "Accept") == ["*/*"])
  }

  @Test func `cancelling ends a task with -999`() async throws {
    let world = try ForegroundWorld()
    let body = SeededBody(seed: 1, byteCount: 100_000)
    world.origin.serve(OriginBehavior(body).stuck(after: 1000), at: "/stuck")
    let task = world.session.dataTask(with: try world.request("/stuck"))
    task.resume()
    _ = await world.listener.calls(until: "response")
    task.cancel()
    let calls = await world.listener.calls(until: "completed")
    #expect(calls.last == "completed completed -999")
    #expect((task.error as? URLError)?.code == .cancelled)
  }

  /// FoundationNetworking ends the process if a task fails while its cancellation waits for the
  /// cache.
  @Test func `tasks may be cancelled while they fail`() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = URLCache.shared
    // Few at a time, because each needs descriptors.
    for _ in 0..<10 {
      let counter = EndCounter(count: 50)
      let session = URLSession(configuration: configuration, delegate: counter, delegateQueue: nil)
      for _ in 0..<counter.count {
        let task = session.dataTask(with: try #require(URL(string: "http://127.0.0.1:9/tea")))
        task.resume()
        task.cancel()
      }
      for await _ in counter.ends {}
      session.finishTasksAndInvalidate()
    }
  }

  @Test func `a task cancelled before its start ends as well`() async throws {
    let world = try ForegroundWorld()
    let task = world.session.dataTask(with: try world.request("/hello"))
    task.cancel()
    #expect(await world.listener.calls(until: "completed") == ["completed completed -999"])
    #expect(world.origin.requests.isEmpty)
  }

  @Test func `the answer to a response can end the task`() async throws {
    let world = try ForegroundWorld { $0.disposition = .cancel }
    let body = SeededBody(seed: 2, byteCount: 100_000)
    world.origin.serve(OriginBehavior(body).stuck(after: 1000), at: "/stuck")
    world.session.dataTask(with: try world.request("/stuck")).resume()
    let calls = await world.listener.calls(until: "completed")
    #expect(calls.first == "response 200")
    #expect(calls.last == "completed completed -999")
  }

  @Test func `the bytes of a response arrive one by one, and its lines`() async throws {
    let world = try ForegroundWorld()
    let body = SeededBody(seed: 3, byteCount: 300_000)
    world.origin.serve(OriginBehavior(body), at: "/bytes")
    let (bytes, response) = try await world.session.bytes(from: try world.url("/bytes"))
    #expect(response.expectedContentLength == 300_000)
    var received: [UInt8] = []
    for try await byte in bytes { received.append(byte) }
    #expect(received == body.bytes)
    world.origin.serve(.whole(Array("one\r\n\r\ntwo\nthree".utf8)), at: "/lines")
    var lines: [String] = []
    for try await line in try await world.session.bytes(from: try world.url("/lines")).0.lines {
      lines.append(line)
    }
    #expect(lines == ["one", "two", "three"])
    #expect(world.listener.calls == [])
  }

  @Test func `a reader that stops cancels its task`() async throws {
    let world = try ForegroundWorld()
    let body = SeededBody(seed: 4, byteCount: 100_000)
    world.origin.serve(OriginBehavior(body).stuck(after: 1000), at: "/stuck")
    func readOne() async throws -> URLSessionDataTask {
      let (bytes, _) = try await world.session.bytes(from: try world.url("/stuck"))
      for try await byte in bytes {
        #expect(byte == body.bytes.first)
        break
      }
      return bytes.task
    }
    let task = try await readOne()
    try await world.origin.waitUntilIdle()
    #expect(task.state == .completed || task.state == .canceling)
  }

  @Test func `cancelling the Swift task cancels the transfer`() async throws {
    let world = try ForegroundWorld()
    let body = SeededBody(seed: 5, byteCount: 100_000)
    world.origin.serve(OriginBehavior(body).stuck(after: 1000), at: "/stuck")
    let (session, request) = (world.session, try world.request("/stuck"))
    let waiting = Task { try await session.data(for: request) }
    try await world.origin.waitForRequests()
    waiting.cancel()
    let error = await #expect(throws: URLError.self) { try await waiting.value }
    #expect(error?.code == .cancelled)
  }

  @Test func `a body that breaks off ends its reader with an error`() async throws {
    let world = try ForegroundWorld()
    let body = SeededBody(seed: 6, byteCount: 50_000)
    world.origin.serve(
      OriginBehavior(body).with { $0.ending = .cut(after: 20_000, .reset) }, at: "/cut")
    let (bytes, _) = try await world.session.bytes(from: try world.url("/cut"))
    var count = 0
    await #expect(throws: URLError.self) {
      for try await _ in bytes { count += 1 }
    }
    #expect(count <= 20_000)
  }
}

/// Waits for the ends of tasks.
private final class EndCounter: NSObject, URLSessionDataDelegate, Sendable {
  let count: Int
  /// Ends with the last task.
  let ends: AsyncStream<Void>
  private let end: AsyncStream<Void>.Continuation
  private let left: Mutex<Int>

  init(count: Int) {
    self.count = count
    left = Mutex(count)
    (ends, end) = AsyncStream.makeStream()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let isLast = left.withLock { left in
      left -= 1
      return left == 0
    }
    if isLast { end.finish() }
  }
}
