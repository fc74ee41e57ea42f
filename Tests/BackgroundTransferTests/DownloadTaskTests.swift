import BackgroundTransfer
import Foundation
import KettleControl
import KettleModel
import Testing

struct DownloadTaskTests {
  @Test func `a download delivers its file and is acknowledged after the last delegate call`()
    throws
  {
    let world = try SessionWorld()
    let task = world.session.downloadTask(with: SessionWorld.url)
    #expect(task.taskIdentifier == 1)
    #expect(task.state == .suspended)
    task.resume()
    #expect(task.state == .running)
    _ = try world.service.added(1)
    try world.service.move(1, to: .running, .progress) {
      $0.bytesReceived = 1
      $0.bytesExpected = 3
    }
    try world.service.finish(1)
    #expect(world.recorder.wait(for: "completed 1 0"))
    #expect(world.recorder.content(of: task) == "tea")
    #expect(
      world.recorder.calls == ["wrote 1 1 1 3", "wrote 1 2 3 3", "finished 1", "completed 1 0"])
    #expect(
      world.service.wait {
        if case .acknowledgeTasks(let params) = $0 { params.ids } else { nil }
      } == [TransferID(rawValue: 101)])
    #expect(task.state == .completed)
    #expect(task.countOfBytesReceived == 3)
    #expect(task.countOfBytesExpectedToReceive == 3)
    #expect(task.progress.completedUnitCount == 3)
    #expect(task.error == nil)
    let response = try #require(task.response as? HTTPURLResponse)
    #expect(response.statusCode == 200)
    #expect(response.value(forHTTPHeaderField: "Vary") == "a, b")
  }

  @Test func `a task from rubbish has no request and fails when it is resumed`() throws {
    let world = try SessionWorld()
    for rubbish in [Data(), Data("not resume data".utf8)] {
      let tasks = [
        world.session.downloadTask(withResumeData: rubbish),
        world.session.uploadTask(withResumeData: rubbish),
        URLSession.shared.downloadTask(withResumeData: rubbish),
        URLSession.shared.uploadTask(withResumeData: rubbish),
      ]
      for task in tasks { #expect(task.originalRequest == nil && task.currentRequest == nil) }
      let number = tasks[0].taskIdentifier
      tasks[0].resume()
      #expect(world.recorder.wait(for: "completed \(number) \(URLError.unsupportedURL.rawValue)"))
      #expect((tasks[0].error as? URLError)?.failingURL == nil)
    }
  }

  // Fault 118
  @Test func `missing events make the session attach again on the same connection`()
    throws
  {
    let world = try SessionWorld()
    let task = world.session.downloadTask(with: SessionWorld.url)
    task.resume()
    _ = try world.service.added(1)
    // The end of the task is among the events that are missing.
    try world.service.move(1, to: .failed, isTold: false) {
      $0.error = TransferFailure(.connectionLost, on: "books.example")
    }
    try world.service.resynchronise()
    #expect(world.recorder.wait(for: "completed 1 -1005"))
    let requests = world.service.requests
    let greetingCount = requests.filter { if case .hello = $0 { true } else { false } }.count
    // Before it connects, the library asks on a connection of its own whose service it is.
    #expect(greetingCount == 2)
    let asks = requests.compactMap { request -> Bool? in
      if case .watch(let params) = request { params.resynchronises } else { nil }
    }
    #expect(asks == [true])
  }

  @Test func `all properties set before resuming are in a single request`() throws {
    let world = try SessionWorld(configure: { configuration in
      configuration.httpAdditionalHeaders = ["Accept": "a", "X-Own": "session"]
      configuration.timeoutIntervalForResource = 100
      configuration.isDiscretionary = true
    })
    var request = URLRequest(url: SessionWorld.url)
    request.setValue("request", forHTTPHeaderField: "x-own")
    request.timeoutInterval = 7
    let task = world.session.downloadTask(with: request)
    task.taskDescription = "A book"
    #expect(task.title == nil)
    task.updateTitle("Winter", subtitle: "Chapter 3")
    task.userInfo = Data("17".utf8)
    task.priority = URLSessionTask.highPriority
    task.earliestBeginDate = Date(timeIntervalSince1970: 4_000_000_000)
    task.countOfBytesClientExpectsToReceive = 500
    task.resume()
    let spec = try world.service.added(1)
    #expect(
      spec.headers.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
        == ["accept: a", "x-own: request"])
    #expect(spec.task?.requestTimeoutMilliseconds == 7000)
    #expect(spec.task?.resourceTimeoutMilliseconds == 100_000)
    #expect(spec.task?.conditions == [.mainsPower, .unmeteredNetwork])
    #expect(spec.task?.expectedReceiveByteCount == 500)
    #expect(spec.title == "Winter")
    #expect(spec.task?.subtitle == "Chapter 3")
    #expect(task.title == "Winter" && task.subtitle == "Chapter 3")
    #expect(spec.priority == .high)
    #expect(spec.notBefore?.millisecondsSince1970 == 4_000_000_000_000)
    #expect(spec.beginning == .queued)
    #expect(spec.request == nil)
    #expect(world.service.requests.filter { $0.method == UpdateTask.name }.isEmpty)
  }

  @Test func `a title changes while the task runs, within the limit of the service`() throws {
    let world = try SessionWorld()
    let task = world.session.downloadTask(with: SessionWorld.url)
    task.resume()
    _ = try world.service.added(1)
    task.updateTitle("Winter", subtitle: String(repeating: "é", count: 600))
    let update = world.service.wait { request -> UpdateTask.Params? in
      guard case .updateTask(let params) = request else { return nil }
      return params
    }
    #expect(update?.title == "Winter")
    #expect(update?.subtitle == String(repeating: "é", count: 512))
    #expect(update?.programData == nil)
  }

  @Test func `a begin date can be removed before and after resuming`() throws {
    let world = try SessionWorld()
    let task = world.session.downloadTask(with: SessionWorld.url)
    task.earliestBeginDate = Date(timeIntervalSince1970: 4_000_000_000)
    task.earliestBeginDate = nil
    task.resume()
    #expect(try world.service.added(1).notBefore == nil)
    task.earliestBeginDate = Date(timeIntervalSince1970: 4_000_000_000)
    task.earliestBeginDate = nil
    let none = WallTime(millisecondsSince1970: 0)
    let update = world.service.wait { request -> WallTime? in
      guard case .updateTask(let params) = request, params.notBefore == none else { return nil }
      return params.notBefore
    }
    #expect(update == none)
    #expect(task.earliestBeginDate == nil)
  }

  @Test func `a task of an earlier run is restored unchanged`() async throws {
    let world = try SessionWorld()
    var request = URLRequest(url: SessionWorld.url)
    request.setValue("x", forHTTPHeaderField: "X-Own")
    let task = world.session.downloadTask(with: request)
    task.taskDescription = "A book"
    task.userInfo = Data("17".utf8)
    task.resume()
    let left = try await world.service.added(1)
    let next = try SessionWorld(
      prepare: { service in
        service.change { state in
          state.tasks[1] = SessionTask(
            snapshot: TransferSnapshot(
              id: TransferID(rawValue: 101), session: left.session, taskIdentifier: 1, title: "b",
              url: left.url.text, state: .running, bytesReceived: 2,
              createdAt: WallTime(millisecondsSince1970: 0), task: TaskStatus()),
            spec: left)
        }
      })
    let tasks = await next.session.allTasks
    let back = try #require(tasks.first as? URLSessionDownloadTask)
    #expect(tasks.count == 1)
    #expect(back.taskIdentifier == 1)
    #expect(back.taskDescription == "A book")
    #expect(back.userInfo == Data("17".utf8))
    #expect(back.originalRequest?.value(forHTTPHeaderField: "X-Own") == "x")
    #expect(back.state == .running)
    #expect(next.session.downloadTask(with: SessionWorld.url).taskIdentifier == 2)
  }

  @Test func `a failure has Apple's error code, a message and usable resume data`() throws {
    let world = try SessionWorld()
    let task = world.session.downloadTask(with: SessionWorld.url)
    task.resume()
    _ = try world.service.added(1)
    try world.service.move(1, to: .failed) {
      $0.bytesReceived = 2
      $0.error = TransferFailure(.connectionLost, on: "books.example")
      $0.task?.reply = ServerReply(
        url: $0.url, status: 200, headers: [HeaderField(received: "ETag", "\"1\"")])
    }
    #expect(world.recorder.wait(for: "completed 1 -1005"))
    let error = try #require(world.recorder.error(of: task))
    #expect(error.failingURL == SessionWorld.url)
    let below = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
    #expect(below.localizedDescription.contains("was lost"))
    let data = try #require(error.downloadTaskResumeData)
    let second = world.session.downloadTask(withResumeData: data)
    #expect(second.taskIdentifier == 2)
    #expect(second.originalRequest?.url == SessionWorld.url)
    second.resume()
    #expect(
      try world.service.added(2).task?.resumes
        == ResumeToken(id: TransferID(rawValue: 101), secret: "s"))
  }

  @Test func `resume data of a cancellation reaches the handler and the delegate`() async throws {
    let world = try SessionWorld()
    let task = world.session.downloadTask(with: SessionWorld.url)
    task.resume()
    _ = try await world.service.added(1)
    async let produced = task.cancelByProducingResumeData()
    try await world.service.wait { request -> Bool? in
      if case .cancelTasks = request { true } else { nil }
    }
    try world.service.move(1, to: .failed) {
      $0.bytesReceived = 2
      $0.error = TransferFailure(.cancelled, on: "books.example")
      $0.task?.reply = ServerReply(
        url: $0.url, status: 200, headers: [HeaderField(received: "ETag", "\"1\"")])
    }
    let data = try #require(await produced)
    #expect(try await world.recorder.wait(for: "completed 1 -999"))
    #expect(world.recorder.error(of: task)?.downloadTaskResumeData == data)
    #expect(world.recorder.error(of: task)?.backgroundTaskCancelledReason == nil)
  }

  @Test func `a removal by the user has a cancellation reason`() throws {
    let world = try SessionWorld()
    let task = world.session.downloadTask(with: SessionWorld.url)
    task.resume()
    _ = try world.service.added(1)
    try world.service.move(1, to: .failed) {
      $0.error = TransferFailure(.cancelled, on: "books.example", detail: "by the user")
    }
    #expect(world.recorder.wait(for: "completed 1 -999"))
    #expect(
      world.recorder.error(of: task)?.backgroundTaskCancelledReason
        == .userForceQuitApplication)
  }

  @Test(arguments: ["ftp://books.example/b", "file:///etc/passwd", "http:///b"])
  func `a URL other than HTTP fails as unsupported`(_ text: String) throws {
    let world = try SessionWorld()
    let task = world.session.downloadTask(with: try #require(URL(string: text)))
    task.resume()
    #expect(world.recorder.wait(for: "completed \(task.taskIdentifier) -1002"))
    #expect(task.taskIdentifier < 0)
  }

  @Test(arguments: [
    "", "{}", "{\"kind\":\"kettle-resume-data\",\"version\":2}", "bplist00",
    "<plist version=\"1.0\"><dict><key>NSURLSessionResumeInfoVersion</key><integer>2</integer>"
      + "<key>NSURLSessionDownloadURL</key><string>http://books.example/b</string></dict></plist>",
    "<plist version=\"1.0\"><dict><key>KettleResumeData</key><string>{}</string></dict></plist>",
    "<plist version=\"1.0\"><dict><key>KettleResumeData</key><true/></dict></plist>",
  ])
  func `invalid resume data fails as unsupported when resumed`(_ text: String) throws {
    let world = try SessionWorld()
    let task = world.session.downloadTask(withResumeData: Data(text.utf8))
    #expect(world.recorder.calls.isEmpty)
    task.resume()
    #expect(world.recorder.wait(for: "completed \(task.taskIdentifier) -1002"))
  }

  @Test func `archived resume data of another system fails as unsupported`() throws {
    let world = try SessionWorld()
    let foreign = ["NSURLSessionResumeInfoVersion": 4] as NSDictionary
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: foreign, requiringSecureCoding: false)
    let task = world.session.downloadTask(withResumeData: archive)
    task.resume()
    #expect(world.recorder.wait(for: "completed \(task.taskIdentifier) -1002"))
  }

  @Test func `a file that was emptied on its server has an empty progress`() throws {
    let world = try SessionWorld()
    let task = world.session.downloadTask(with: SessionWorld.url)
    task.resume()
    _ = try world.service.added(1)
    try world.service.move(1, to: .running, .progress) {
      $0.bytesReceived = 5
      $0.bytesExpected = 10
    }
    #expect(world.recorder.wait(for: "wrote 1 5 5 10"))
    #expect(task.progress.fractionCompleted == 0.5)
    try world.service.finish(1, content: "")
    #expect(world.recorder.wait(for: "completed 1 0"))
    #expect(task.progress.totalUnitCount == 0 && task.progress.completedUnitCount == 0)
  }

  @Test func `user info that is too large fails when resumed`() throws {
    let world = try SessionWorld()
    let task = world.session.downloadTask(with: SessionWorld.url)
    task.userInfo = Data(count: 300_000)
    task.resume()
    #expect(world.recorder.wait(for: "completed 1 -1103"))
    #expect(world.service.requests.filter { $0.method == AddTransfers.name }.isEmpty)
  }

  @Test func `unsupported calls fail and do not crash`() throws {
    let world = try SessionWorld()
    let request = URLRequest(url: SessionWorld.url)
    let tasks: [URLSessionTask] = [
      world.session.uploadTask(with: request, from: Data()),
      world.session.uploadTask(withStreamedRequest: request),
    ]
    for task in tasks {
      task.resume()
      #expect(world.recorder.wait(for: "completed \(task.taskIdentifier) -1"))
    }
  }
}
