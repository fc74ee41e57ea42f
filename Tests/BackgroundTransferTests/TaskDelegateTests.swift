import BackgroundTransfer
import Foundation
import KettleModel
import KettleSystem
import Testing

/// Delegates of single tasks.
struct TaskDelegateTests {
  /// Implements one method of a task.
  private final class Ends: NSObject, URLSessionTaskDelegate, Sendable {
    private let ended = Mutex<[Int]>([])
    private let recorder: Recorder

    init(_ recorder: Recorder) { self.recorder = recorder }

    var numbers: [Int] { ended.withLock { $0 } }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      ended.withLock { $0.append(task.taskIdentifier) }
      recorder.urlSession(session, task: task, didCompleteWithError: error)
    }
  }

  /// Implements no method of a task.
  private final class Silent: NSObject, URLSessionTaskDelegate, Sendable {}

  @Test func `a task's delegate is called before the session's and released at the end`() throws {
    let world = try SessionWorld()
    let delegate = Ends(world.recorder)
    let task = world.session.downloadTask(with: SessionWorld.url)
    task.delegate = delegate
    #expect(task.delegate === delegate)
    let other = world.session.downloadTask(with: SessionWorld.url)
    for number in [task, other] { number.resume() }
    for number in 1...2 {
      _ = try world.service.added(Int64(number))
      try world.service.finish(Int64(number))
      #expect(world.recorder.wait(for: "completed \(number) 0"))
    }
    #expect(delegate.numbers == [1])
    #expect(world.recorder.calls.filter { $0 == "completed 1 0" }.count == 1)
    // Downloads are delivered to the delegate of the session.
    #expect(world.recorder.calls.contains("finished 1"))
    #expect(task.delegate == nil)
  }

  @Test func `a call that a task's delegate does not implement goes to the session's`() throws {
    let world = try SessionWorld()
    let task = world.session.downloadTask(with: SessionWorld.url)
    task.delegate = Silent()
    task.resume()
    _ = try world.service.added(1)
    try world.service.finish(1)
    #expect(world.recorder.wait(for: "completed 1 0"))
  }

  /// Describes the tasks of a session as they are made.
  private final class Maker: NSObject, URLSessionTaskDelegate, Sendable {
    let threads = Mutex<[Thread?]>([])

    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
      task.taskDescription = "made \(task.taskIdentifier)"
      threads.withLock { $0.append(Thread.current) }
    }
  }

  @Test func `the session's delegate gets a new task before the program does`() throws {
    let service = try FakeService()
    try service.start()
    let configuration = URLSessionConfiguration.background(withIdentifier: UUID().uuidString)
    configuration.servicePaths = service.paths
    let maker = Maker()
    let session = URLSession(configuration: configuration, delegate: maker, delegateQueue: nil)
    session.duplicatePolicy = .coalesce
    let task = session.downloadTask(with: SessionWorld.url)
    #expect(task.taskDescription == "made 1")
    // It is the same task.
    _ = session.downloadTask(with: SessionWorld.url)
    #expect(maker.threads.withLock { $0 } == [Thread.current])
  }

  @Test func `a task equals itself alone`() throws {
    let world = try SessionWorld()
    let task = world.session.downloadTask(with: SessionWorld.url)
    let other = world.session.downloadTask(with: SessionWorld.url)
    #expect(task.isEqual(task))
    #expect(!task.isEqual(other) && !task.isEqual(nil) && !task.isEqual("task"))
  }
}
