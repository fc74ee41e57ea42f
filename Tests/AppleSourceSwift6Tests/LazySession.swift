import BackgroundTransfer
import Foundation
import Testing

/// Maps of a region, fetched at night. On the main actor, like the program's windows; the session
/// calls from another queue.
@MainActor
final class MapLibrary: NSObject, ApplicationDelegate {
  private(set) var names: [String] = []
  private(set) var failures: [Int] = []
  private var finishedHandler: (@Sendable () -> Void)?

  private lazy var session: URLSession = {
    let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.maps")
    configuration.isDiscretionary = true
    configuration.sessionSendsLaunchEvents = true
    configuration.allowsExpensiveNetworkAccess = false
    configuration.httpAdditionalHeaders = ["Accept": "application/octet-stream"]
    return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
  }()

  func schedule(_ map: URL, after delay: TimeInterval) -> URLSessionDownloadTask {
    let task = session.downloadTask(with: URLRequest(url: map))
    task.earliestBeginDate = Date.now.addingTimeInterval(delay)
    task.countOfBytesClientExpectsToSend = 120
    task.countOfBytesClientExpectsToReceive = 80 << 20
    return task
  }

  func outstanding() async -> [String] {
    await session.allTasks.compactMap(\.taskDescription)
  }

  var configuration: URLSessionConfiguration { session.configuration }

  func application(
    handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping @Sendable () -> Void
  ) {
    guard identifier == session.configuration.identifier else { return }
    finishedHandler = completionHandler
  }

  private func took(_ name: String) { names.append(name) }
  private func failed(_ status: Int) { failures.append(status) }

  private func finish() {
    finishedHandler?()
    finishedHandler = nil
  }
}

extension MapLibrary: URLSessionDownloadDelegate {
  nonisolated func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    let status = (downloadTask.response as? HTTPURLResponse)?.statusCode ?? 200
    guard (200...299).contains(status) else {
      Task { await failed(status) }
      return
    }
    let place = URL.temporaryDirectory.appending(path: "map-\(UUID().uuidString)")
    do {
      try FileManager.default.moveItem(at: location, to: place)
    } catch {
      Task { await failed(-1) }
      return
    }
    Task { await took(place.lastPathComponent) }
  }

  nonisolated func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    guard let failure = error as? URLError else { return }
    Task { await failed(failure.code.rawValue) }
  }

  nonisolated func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    DispatchQueue.main.async { self.finish() }
  }
}

@Suite(.timeLimit(.minutes(3)))
@MainActor
struct LazySessionTests {
  @Test func `properties set before a task is resumed are kept`() throws {
    _ = try Scratch()
    let library = MapLibrary()
    let map = URL(literal: "https://127.0.0.1:9/alps.map")
    let task = library.schedule(map, after: 7200)
    #expect(task.state == .suspended)
    #expect(try #require(task.earliestBeginDate).timeIntervalSinceNow > 7000)
    #expect(task.countOfBytesClientExpectsToReceive == 83_886_080)
    #expect(task.countOfBytesReceived == 0)
    #expect(task.originalRequest?.url == map)
    #expect(library.configuration.allowsCellularAccess)
    #expect(!library.configuration.allowsExpensiveNetworkAccess)
    #expect(library.configuration.httpAdditionalHeaders?["Accept"] != nil)
  }

  @Test func `a task's failure reaches the nonisolated method`() async throws {
    _ = try Scratch()
    let library = MapLibrary()
    let task = library.schedule(URL(literal: "https://127.0.0.1:9/sea.map"), after: 0)
    let delegate: any URLSessionDownloadDelegate = library
    let session = URLSession(
      configuration: .background(withIdentifier: "org.example.maps"), delegate: library,
      delegateQueue: nil)
    delegate.urlSession(session, task: task, didCompleteWithError: URLError(.cannotConnectToHost))
    while library.failures.isEmpty { await Task.yield() }
    #expect(library.failures == [URLError.Code.cannotConnectToHost.rawValue])
    delegate.urlSession(
      session, downloadTask: task, didFinishDownloadingTo: URL(filePath: "/nonexistent/file"))
    while library.failures.count < 2 { await Task.yield() }
    #expect(library.failures.last == -1)
    #expect(library.names.isEmpty)
  }
}
