import BackgroundTransfer
import Dispatch
import Foundation
import KettleControl
import KettleModel
import KettleSystem
import Testing

struct SessionTests {
  @Test func `the options of the configuration reach the service`() throws {
    let world = try SessionWorld(
      identifier: "options",
      configure: {
        $0.sessionSendsLaunchEvents = false
        $0.httpMaximumConnectionsPerHost = 3
        $0.asksServerTrust = false
        $0.launchCommand = .init(
          executable: URL(fileURLWithPath: "/usr/bin/books"), arguments: ["--background"])
      })
    let params = try #require(
      world.service.wait {
        if case .attachSession(let params) = $0 { params } else { nil }
      })
    #expect(params.session.rawValue == "options")
    #expect(params.options.sendsLaunchEvents == false)
    #expect(params.options.connectionsPerHostMax == 3)
    #expect(params.options.asksServerTrust == false)
    #expect(
      params.options.launch
        == LaunchCommand(executablePath: "/usr/bin/books", arguments: ["--background"]))
    let names = world.service.requests.map(\.method)
    // The first greeting asks, on a connection of its own, whose service it is.
    #expect(names == [Hello.name, Hello.name, WatchEvents.name, AttachSession.name])
  }

  @Test func `the launch command is the program itself unless set`() throws {
    let world = try SessionWorld(configure: { $0.launch = .ownProgram })
    let launch = world.service.wait {
      if case .attachSession(let params) = $0 { params.options.launch } else { nil }
    }
    #expect(launch?.executablePath.hasPrefix("/") == true)
    #expect(launch?.arguments == Array(CommandLine.arguments.dropFirst()))
    #expect(launch?.directory == FileManager.default.currentDirectoryPath)
  }

  @Test func `a second session with an identifier shares the first one and its delegate`() throws {
    let identifier = UUID().uuidString
    let world = try SessionWorld(identifier: identifier)
    let other = Recorder()
    let second = URLSession(
      configuration: .background(withIdentifier: identifier), delegate: other, delegateQueue: nil)
    #expect(second == world.session)
    #expect(second.delegate === world.recorder)
    let task = second.downloadTask(with: SessionWorld.url)
    task.resume()
    _ = try world.service.added(1)
    try world.service.finish(1)
    #expect(world.recorder.wait(for: "completed 1 0"))
    #expect(other.calls.isEmpty)
  }

  @Test func `a session in use by another process ends with -996, and so do its tasks`() throws {
    let world = try SessionWorld(
      prepare: { service in
        service.change { $0.refusals[AttachSession.name] = ControlError(.sessionInUse, "4711") }
      })
    let task = world.session.downloadTask(with: SessionWorld.url)
    task.resume()
    #expect(world.recorder.wait(for: "completed \(task.taskIdentifier) -996"))
    #expect(world.recorder.wait(for: "invalid"))
    #expect(world.recorder.sessionError?.code == .backgroundSessionInUseByAnotherProcess)
    #expect(world.recorder.sessionError?.localizedDescription.contains("4711") == true)
  }

  @Test func `an empty identifier makes an invalid session, not a crash`() throws {
    let world = try SessionWorld(identifier: "")
    #expect(world.recorder.wait(for: "invalid"))
    let sentence = try #require(world.recorder.sessionError?.localizedDescription)
    #expect(sentence.contains("identifier"))
    let task = world.session.downloadTask(with: SessionWorld.url)
    task.resume()
    #expect(task.taskIdentifier < 0)
  }

  @Test func `without a service or its executable tasks fail with -997 and the reason`() throws {
    let world = try SessionWorld(isRunning: false)
    let before = ContinuousClock.now
    let task = world.session.downloadTask(with: SessionWorld.url)
    // No service can start, so no pauses are made between attempts.
    #expect(ContinuousClock.now - before < .seconds(3))
    task.resume()
    #expect(world.recorder.wait(for: "completed \(task.taskIdentifier) -997"))
    let sentence = world.recorder.error(of: task)?.localizedDescription
    #expect(sentence?.contains("/nonexistent/kettle") == true)
  }

  @Test func `a task can be created on the delegate queue before the service has answered`()
    throws
  {
    let world = try SessionWorld(prepare: { $0.change { $0.silence = [AttachSession.name] } })
    let made = Mutex<Int?>(nil)
    let semaphore = DispatchSemaphore(value: 0)
    world.session.delegateQueue.addOperation {
      made.withLock { $0 = world.session.downloadTask(with: SessionWorld.url).taskIdentifier }
      semaphore.signal()
    }
    world.service.wait { if case .attachSession = $0 { true } else { nil } }
    // The silent service is replaced by one that answers.
    world.service.change { $0.silence = [] }
    world.service.stop()
    try world.service.start()
    #expect(semaphore.wait(timeout: .now() + 20) == .success)
    #expect(made.withLock { $0 } == 1)
  }

  @Test func `tasks created while the service is busy reach it together and in order`() throws {
    let world = try SessionWorld(prepare: { $0.change { $0.silence = [AddTransfers.name] } })
    func numbers(_ request: ControlRequest) -> [Int64]? {
      guard case .add(let params) = request else { return nil }
      return params.transfers.compactMap { $0.task?.taskIdentifier }
    }
    for _ in 1...40 { world.session.downloadTask(with: SessionWorld.url).resume() }
    _ = try world.service.added(1)
    // The busy service is replaced by one that answers, and has what the other one had.
    world.service.change { $0.silence = [] }
    world.service.stop()
    try world.service.start()
    _ = try world.service.added(40)
    let asked = world.service.requests.compactMap(numbers)
    #expect(asked.count < 4, "\(asked)")
    #expect(asked.flatMap { $0 }.elementsEqual(1...40))
    try world.service.finish(40)
    #expect(world.recorder.wait(for: "completed 40 0"))
  }

  @Test func `a service of another version ends tasks with -997`() throws {
    let world = try SessionWorld(
      prepare: { service in
        service.change { $0.refusals[Hello.name] = ControlError(.versionMismatch, "9") }
      })
    let task = world.session.downloadTask(with: SessionWorld.url)
    task.resume()
    #expect(world.recorder.wait(for: "completed \(task.taskIdentifier) -997"))
    #expect(
      world.recorder.error(of: task)?.localizedDescription.contains("version \"9\"") == true)
  }

  @Test func `a restarted service finds the same session, and nothing is reported twice`() throws {
    let world = try SessionWorld()
    let first = world.session.downloadTask(with: SessionWorld.url)
    first.resume()
    _ = try world.service.added(1)
    let second = world.session.downloadTask(with: SessionWorld.url)
    world.service.stop()
    second.resume()
    try world.service.start()
    _ = try world.service.added(2)
    try world.service.finish(1)
    try world.service.finish(2)
    #expect(world.recorder.wait(for: "completed 1 0"))
    #expect(world.recorder.wait(for: "completed 2 0"))
    let ends = world.recorder.calls.filter { $0.hasPrefix("completed") || $0.hasPrefix("finished") }
    #expect(ends.count == 4)
  }

  @Test func `invalidating makes the final delegate call and drops the session`() throws {
    let identifier = UUID().uuidString
    let world = try SessionWorld(identifier: identifier)
    let task = world.session.downloadTask(with: SessionWorld.url)
    world.session.invalidateAndCancel()
    #expect(world.recorder.wait(for: "invalid"))
    #expect(world.recorder.calls == ["completed 1 -999", "invalid"])
    #expect(world.recorder.sessionError == nil)
    #expect(
      world.service.wait { if case .dropSession(let params) = $0 { params } else { nil } }
        != nil)
    #expect(task.state == .completed)
    let late = world.session.downloadTask(with: SessionWorld.url)
    #expect(late.taskIdentifier < 0)
  }

  @Test func `an invalid session releases its delegate and itself`() async throws {
    let service = try FakeService()
    try service.start()
    let ends = AsyncStream.makeStream(of: Void.self)
    /// Reports its release.
    final class Listener: URLSessionTaskDelegate {
      let end: AsyncStream<Void>.Continuation
      init(_ end: AsyncStream<Void>.Continuation) { self.end = end }
      deinit { end.finish() }
    }
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    weak var session: URLSession?
    weak var task: URLSessionTask?
    do {
      let configuration = URLSessionConfiguration.background(withIdentifier: UUID().uuidString)
      configuration.servicePaths = service.paths
      configuration.serviceExecutable = "/nonexistent/kettle"
      let made = URLSession(
        configuration: configuration, delegate: Listener(ends.continuation), delegateQueue: queue)
      let download = made.downloadTask(with: SessionWorld.url)
      download.resume()
      (session, task) = (made, download)
      #expect(made.delegate is Listener)
      try await service.wait { if case .add = $0 { true } else { nil } }
      made.invalidateAndCancel()
      try await service.wait { if case .cancelTasks = $0 { true } else { nil } }
      try service.move(1, to: .failed) {
        $0.error = TransferFailure(.cancelled, on: "books.example")
      }
    }
    // This would never end if the delegate were retained.
    for await _ in ends.stream {}
    // The last call has returned.
    await withCheckedContinuation { continuation in
      queue.addOperation { continuation.resume() }
    }
    #expect(session == nil)
    #expect(task == nil)
  }

  @Test func `blocked threads do not prevent a session from reaching its service`() async throws {
    let world = try SessionWorld()
    let numbers = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<32 {
        group.addTask { world.session.downloadTask(with: SessionWorld.url).taskIdentifier }
      }
      return await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(Set(numbers) == Set(1...32))
  }

  @Test func `the duplicate policy determines how duplicates are handled`() throws {
    let world = try SessionWorld()
    let first = world.session.downloadTask(with: SessionWorld.url)
    #expect(world.session.downloadTask(with: SessionWorld.url) != first)
    world.session.duplicatePolicy = .coalesce
    #expect(world.session.downloadTask(with: SessionWorld.url) == first)
    world.session.duplicatePolicy = .reject
    let refused = world.session.downloadTask(with: SessionWorld.url)
    refused.resume()
    #expect(world.recorder.wait(for: "completed \(refused.taskIdentifier) 0"))
    #expect((refused.error as? DuplicateTask)?.taskIdentifier == 1)
    let other = try #require(URL(string: "http://books.example/c"))
    #expect(world.session.downloadTask(with: other).taskIdentifier > 0)
  }

  @Test func `flushing waits for the service's acknowledgement`() async throws {
    let world = try SessionWorld()
    await world.session.flush()
    let task = world.session.downloadTask(with: SessionWorld.url)
    world.service.change { $0.silence = [AddTransfers.name] }
    task.resume()
    _ = try await world.service.added(1)
    let isFlushed = Mutex(false)
    world.session.flush { isFlushed.withLock { $0 = true } }
    // The silent service is replaced by one that answers.
    world.service.stop()
    #expect(isFlushed.withLock { $0 } == false)
    world.service.change { $0.silence = [] }
    try world.service.start()
    await world.session.flush()
    #expect(world.service.requests.count { $0.method == AttachSession.name } == 2)
  }
}
