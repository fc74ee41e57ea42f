import BackgroundTransfer
import Foundation
import KettleModel
import TestSupport
import Testing

struct ForegroundSessionTests {
  @Test func `a redirect goes to the delegate, which may change it or keep the response`()
    async throws
  {
    let world = try ForegroundWorld { answers in
      answers.redirect = { request in
        guard request.url?.path != "/kept" else { return nil }
        var request = request
        request.setValue("17", forHTTPHeaderField: "X-Reader")
        return request
      }
    }
    world.origin.serveRedirects(2, from: "/moved", to: "/hello")
    let task = world.session.dataTask(with: try world.request("/moved"))
    task.resume()
    #expect(
      await world.listener.calls(until: "completed") == [
        "redirect 302 /moved/1", "redirect 302 /hello", "response 200", "data 11",
        "completed completed 0",
      ])
    #expect(task.originalRequest?.url?.path == "/moved")
    #expect(task.currentRequest?.url?.path == "/hello")
    #expect(world.origin.requests(at: "/hello").first?.values(of: "X-Reader") == ["17"])
    world.origin.serveRedirects(1, from: "/refused", to: "/kept")
    let (_, response) = try await world.session.data(from: try world.url("/refused"))
    #expect((response as? HTTPURLResponse)?.statusCode == 302)
    #expect(world.origin.requests(at: "/kept").isEmpty)
  }

  @Test func `a task has the times of its last request`() async throws {
    final class Meter: NSObject, URLSessionTaskDelegate {
      let metrics = AsyncStream.makeStream(of: URLSessionTaskMetrics.self)

      func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
      ) {
        self.metrics.continuation.yield(metrics)
      }
    }
    let world = try ForegroundWorld()
    world.origin.serveRedirects(2, from: "/moved", to: "/hello")
    let meter = Meter()
    let before = Date()
    _ = try await world.session.data(from: try world.url("/moved"), delegate: meter)
    var iterator = meter.metrics.stream.makeAsyncIterator()
    let metrics = try #require(await iterator.next())
    #expect(metrics.redirectCount == 2)
    // The clock of the start has whole milliseconds.
    #expect(metrics.taskInterval.start > before - 0.01 && metrics.taskInterval.end < Date() + 0.01)
    #expect(metrics.transactionMetrics.count == 1)
    let last = try #require(metrics.transactionMetrics.last)
    #expect(last.request.url?.path == "/hello")
    #expect((last.response as? HTTPURLResponse)?.statusCode == 200)
    #expect(last.countOfResponseBodyBytesReceived == 11)
    let start = try #require(last.fetchStartDate)
    #expect(start <= (try #require(last.responseStartDate)))
    #expect(start <= (try #require(last.responseEndDate)))
    #expect(last.connectStartDate == nil && last.networkProtocolName == nil)
  }

  @Test func `a redirect is followed without a delegate, with the cookies for its target`()
    async throws
  {
    let world = try ForegroundWorld()
    world.origin.serve(
      .status(
        302,
        headers: [
          .init(received: "Location", "/hello"), .init(received: "Set-Cookie", "book=17; Path=/"),
        ]),
      at: "/login")
    let session = URLSession(configuration: .ephemeral)
    let (data, _) = try await session.data(from: try world.url("/login"))
    #expect(String(decoding: data, as: UTF8.self) == "hello world")
    #expect(world.origin.requests(at: "/hello").first?.values(of: "Cookie") == ["book=17"])
  }

  @Test func `a login is asked for, and its first response is not seen`() async throws {
    let login = URLCredential(user: "reader", password: "secret", persistence: .forSession)
    let world = try ForegroundWorld { $0.challenge = { _ in (.useCredential, login) } }
    world.origin.serve(
      OriginBehavior(SeededBody(seed: 8, byteCount: 20)).with {
        $0.login = Login(user: "reader", password: "secret")
      }, at: "/private")
    world.session.dataTask(with: try world.request("/private")).resume()
    #expect(
      await world.listener.calls(until: "completed") == [
        "challenge NSURLAuthenticationMethodHTTPBasic 0", "response 200", "data 20",
        "completed completed 0",
      ])
    #expect(world.listener.body == Data(SeededBody(seed: 8, byteCount: 20).bytes))
  }

  @Test func `a login that is not given leaves the response, and a refusal cancels`() async throws {
    let world = try ForegroundWorld()
    world.origin.serve(
      OriginBehavior(SeededBody(seed: 9, byteCount: 20)).with {
        $0.login = Login(user: "reader", password: "secret")
      }, at: "/private")
    world.session.dataTask(with: try world.request("/private")).resume()
    #expect(
      await world.listener.calls(until: "completed") == [
        "challenge NSURLAuthenticationMethodHTTPBasic 0", "response 401", "data 12",
        "completed completed 0",
      ])
    await #expect(throws: URLError.self) {
      try await world.session.download(from: try world.url("/private"))
    }
    let refusing = Listener { $0.challenge = { _ in (.cancelAuthenticationChallenge, nil) } }
    let error = await #expect(throws: URLError.self) {
      try await world.session.data(for: try world.request("/private"), delegate: refusing)
    }
    #expect(error?.code == .cancelled)
    #expect(refusing.calls == ["challenge NSURLAuthenticationMethodHTTPBasic 0"])
  }

  @Test func `a login by digest leaves the response: FoundationNetworking has none`() async throws {
    let login = URLCredential(user: "reader", password: "secret", persistence: .forSession)
    let world = try ForegroundWorld { $0.challenge = { _ in (.useCredential, login) } }
    world.origin.serve(
      OriginBehavior(SeededBody(seed: 10, byteCount: 20)).with {
        $0.login = Login(user: "reader", password: "secret")
        $0.loginScheme = .digest
      }, at: "/private")
    let (_, response) = try await world.session.data(from: try world.url("/private"))
    #expect((response as? HTTPURLResponse)?.statusCode == 401)
    #expect(world.listener.calls == [])
  }

  @Test func `a task's own delegate receives its calls, and the session's the others`()
    async throws
  {
    /// Notes the end of its task.
    final class Ends: URLSessionTaskDelegate {
      let ends = AsyncStream.makeStream(of: Bool.self)

      func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
      ) {
        ends.continuation.yield(error == nil)
        ends.continuation.finish()
      }
    }
    let world = try ForegroundWorld()
    world.origin.serveRedirects(1, from: "/moved", to: "/hello")
    let own = Ends()
    let task = world.session.dataTask(with: try world.request("/moved"))
    task.delegate = own
    task.resume()
    var ends: [Bool] = []
    for await end in own.ends.stream { ends.append(end) }
    #expect(ends == [true])
    #expect(world.listener.calls == ["redirect 302 /hello", "response 200", "data 11"])
  }

  @Test func `the storages and protocols of the configuration are used`() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    let cookies = try #require(configuration.httpCookieStorage)
    #expect(cookies !== HTTPCookieStorage.shared)
    let properties: [HTTPCookiePropertyKey: Any] = [
      .name: "book", .value: "17", .domain: "127.0.0.1", .path: "/",
    ]
    cookies.setCookie(try #require(HTTPCookie(properties: properties)))
    configuration.protocolClasses = [AnsweringProtocol.self]
    let world = try ForegroundWorld(configuration)
    _ = try await world.session.data(from: try world.url("/hello"))
    #expect(world.origin.requests.first?.values(of: "Cookie") == ["book=17"])
    let url = try #require(URL(string: "answer://anything"))
    let (data, _) = try await world.session.data(from: url)
    #expect(String(decoding: data, as: UTF8.self) == "an answer")
  }

  @Test func `finishing waits for the tasks, and later tasks fail`() async throws {
    let world = try ForegroundWorld()
    let body = SeededBody(seed: 11, byteCount: 2000)
    world.origin.serve(
      OriginBehavior(body).with { $0.stall = .init(after: 1000, until: "go on") }, at: "/slow")
    let task = world.session.dataTask(with: try world.request("/slow"))
    task.resume()
    _ = await world.listener.calls(until: "response")
    world.session.finishTasksAndInvalidate()
    let late = world.session.dataTask(with: try world.request("/hello"))
    late.resume()
    _ = await world.listener.calls(until: "completed")
    world.origin.release("go on")
    let calls = await world.listener.calls(until: "invalid")
    #expect(
      calls.filter { !$0.hasPrefix("data") } == [
        "response 200", "completed completed -1", "completed completed 0", "invalid true",
      ])
    #expect(late.error?.localizedDescription.contains("invalidated") == true)
    #expect(world.session.delegate == nil)
  }

  @Test func `cancelling a session ends its tasks first`() async throws {
    let world = try ForegroundWorld()
    let body = SeededBody(seed: 12, byteCount: 2000)
    world.origin.serve(OriginBehavior(body).stuck(after: 1000), at: "/stuck")
    world.session.dataTask(with: try world.request("/stuck")).resume()
    _ = world.session.downloadTask(with: try world.request("/hello"))
    _ = await world.listener.calls(until: "response")
    world.session.invalidateAndCancel()
    world.session.invalidateAndCancel()
    let calls = await world.listener.calls(until: "invalid")
    #expect(
      calls.suffix(3) == ["completed completed -999", "completed completed -999", "invalid true"])
  }

  @Test func `the shared session cannot be invalidated`() async throws {
    let world = try ForegroundWorld()
    URLSession.shared.invalidateAndCancel()
    URLSession.shared.finishTasksAndInvalidate()
    let (data, _) = try await URLSession.shared.data(from: try world.url("/hello"))
    #expect(String(decoding: data, as: UTF8.self) == "hello world")
    #expect(URLSession.shared == URLSession.shared)
    let copy = URLSession(configuration: URLSession.shared.configuration)
    copy.invalidateAndCancel()
    #expect(copy.dataTask(with: try world.url("/hello")).taskIdentifier < 0)
    await URLSession.shared.flush()
    await URLSession.shared.reset()
  }

  @Test func `the tasks of a session are known until they end`() async throws {
    let world = try ForegroundWorld()
    let request = try world.request("/hello")
    let data = world.session.dataTask(with: request)
    let download = world.session.downloadTask(with: request)
    let upload = world.session.uploadTask(with: try world.request("/hello", "PUT"), from: Data())
    let (allData, uploads, downloads) = await world.session.tasks
    #expect(allData == [data])
    #expect(uploads == [upload])
    #expect(downloads == [download])
    #expect(Set([data, download, upload].map(\.taskIdentifier)).count == 3)
  }

  @Test func `a session without tasks is released with its delegate`() async throws {
    let origin = try ForegroundWorld().origin
    origin.serve(.status(200), at: "/hello")
    let url = try #require(URL(string: try origin.url("/hello").text))
    weak var session: URLSession?
    weak var delegate: Listener?
    do {
      let listener = Listener()
      let made = URLSession(configuration: .ephemeral, delegate: listener, delegateQueue: nil)
      (session, delegate) = (made, listener)
      made.dataTask(with: url).resume()
      _ = await listener.calls(until: "completed")
      made.finishTasksAndInvalidate()
      _ = await listener.calls(until: "invalid")
      // The last call has returned, and what it held is released.
      for _ in 1...2 {
        await withCheckedContinuation { continuation in
          made.delegateQueue.addOperation { continuation.resume() }
        }
      }
    }
    #expect(session == nil)
    #expect(delegate == nil)
  }

  @Test func `background sessions refuse what ends with the program`() async throws {
    let session = URLSession(configuration: .background(withIdentifier: ""))
    let request = URLRequest(url: SessionWorld.url)
    let file = URL(fileURLWithPath: "/dev/null")
    await #expect(throws: URLError.self) { try await session.data(for: request) }
    await #expect(throws: URLError.self) { try await session.bytes(for: request) }
    await #expect(throws: URLError.self) { try await session.download(for: request) }
    await #expect(throws: URLError.self) { try await session.upload(for: request, from: Data()) }
    await #expect(throws: URLError.self) {
      try await session.upload(for: request, fromFile: file)
    }
    #expect(session.webSocketTask(with: request).taskIdentifier < 0)
  }

  @Test func `a web socket ends with an error when there is none`() async throws {
    let world = try ForegroundWorld()
    let url = try #require(URL(string: "ws://127.0.0.1:\(world.origin.port)/hello"))
    let socket = world.session.webSocketTask(with: url, protocols: ["chat"])
    socket.resume()
    await #expect(throws: URLError.self) { try await socket.receive() }
  }
}
