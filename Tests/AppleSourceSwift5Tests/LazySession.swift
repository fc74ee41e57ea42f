import BackgroundTransfer
import Foundation
import Testing

/// A newspaper that is fetched when the machine is idle. The session is created at its first use,
/// because its delegate is `self`.
final class NewspaperStand: NSObject, ApplicationDelegate {
  let shelf: URL
  var wakeUpHandler: (() -> Void)?
  private(set) var complaints: [String] = []

  lazy var session: URLSession = {
    let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.papers")
    configuration.isDiscretionary = true
    configuration.sessionSendsLaunchEvents = true
    return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
  }()

  init(shelf: URL) {
    self.shelf = shelf
    super.init()
  }

  func order(_ paper: URL, at date: Date) -> URLSessionDownloadTask {
    let task = session.downloadTask(with: paper)
    task.earliestBeginDate = date
    task.countOfBytesClientExpectsToSend = 300
    task.countOfBytesClientExpectsToReceive = 2 * 1024 * 1024
    return task
  }

  func application(
    handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping () -> Void
  ) {
    wakeUpHandler = completionHandler
    _ = session
  }
}

extension NewspaperStand: URLSessionDownloadDelegate {
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    if let reply = downloadTask.response as? HTTPURLResponse,
      !(200...299).contains(reply.statusCode)
    {
      complaints.append("status \(reply.statusCode)")
      return
    }
    do {
      let place = shelf.appendingPathComponent(location.lastPathComponent)
      try FileManager.default.moveItem(at: location, to: place)
    } catch {
      complaints.append(error.localizedDescription)
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
    guard let error = error else { return }
    complaints.append(error.localizedDescription)
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    DispatchQueue.main.async {
      self.wakeUpHandler?()
      self.wakeUpHandler = nil
    }
  }
}

@Suite(.timeLimit(.minutes(3)))
struct LazySessionTests {
  @Test func `a new task is suspended, keeps its properties and has no response`() throws {
    let scratch = try Scratch()
    let stand = NewspaperStand(shelf: scratch.folder)
    let evening = Date(timeIntervalSinceNow: 3600)
    let paper = URL(literal: "http://127.0.0.1:9/paper.pdf")
    let task = stand.order(paper, at: evening)
    #expect(task.state == .suspended)
    #expect(task.earliestBeginDate == evening)
    #expect(task.countOfBytesClientExpectsToSend == 300)
    #expect(task.countOfBytesClientExpectsToReceive == 2_097_152)
    #expect(task.originalRequest?.url == paper)
    #expect(task.response == nil)
    #expect(task.error == nil)
  }

  @Test func `the configuration of a session is a copy`() throws {
    let scratch = try Scratch()
    let stand = NewspaperStand(shelf: scratch.folder)
    #expect(stand.session.configuration.isDiscretionary)
    stand.session.configuration.isDiscretionary = false
    #expect(stand.session.configuration.isDiscretionary)
    #expect(stand.session.configuration.identifier == "org.example.papers")
  }

  @Test func `the session calls the program's method instead of a default implementation`()
    async throws
  {
    let scratch = try Scratch()
    let shelf = scratch.folder.appendingPathComponent("shelf")
    try FileManager.default.createDirectory(at: shelf, withIntermediateDirectories: false)
    let stand = NewspaperStand(shelf: shelf)
    let task = stand.order(URL(literal: "http://127.0.0.1:9/paper.pdf"), at: Date())
    let delegate = try #require(stand as Any as? URLSessionDownloadDelegate)
    let arrived = try scratch.file("CFNetworkDownload.tmp", holding: "news")
    delegate.urlSession(stand.session, downloadTask: task, didFinishDownloadingTo: arrived)
    #expect(try FileManager.default.contentsOfDirectory(atPath: shelf.path).count == 1)
    delegate.urlSession(
      stand.session, downloadTask: task,
      didFinishDownloadingTo: scratch.folder.appendingPathComponent("gone"))
    delegate.urlSession(stand.session, task: task, didCompleteWithError: URLError(.timedOut))
    #expect(stand.complaints.count == 2)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      stand.application(
        handleEventsForBackgroundURLSession: "org.example.papers",
        completionHandler: { continuation.resume() })
      delegate.urlSessionDidFinishEvents(forBackgroundURLSession: stand.session)
    }
  }
}
