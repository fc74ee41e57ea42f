import BackgroundTransfer
import Foundation
import Testing

/// A panel of five files with buttons, on the main actor.
@MainActor
final class FilePanel: NSObject {
  struct Row {
    var source: URL
    var task: URLSessionDownloadTask?
    var resumeData: Data?
    var fraction = 0.0
    var text = ""
    var isDone = false
  }

  private(set) var rows: [Row]
  private let documents: URL
  private let identifier: String
  private var handler: (@Sendable () -> Void)?

  private lazy var session: URLSession = {
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    configuration.httpMaximumConnectionsPerHost = 5
    return URLSession(configuration: configuration, delegate: self, delegateQueue: .main)
  }()

  init(identifier: String, documents: URL, sources: [URL]) {
    self.identifier = identifier
    self.documents = documents
    rows = sources.map { Row(source: $0) }
  }

  func start(_ index: Int) {
    let task =
      if let data = rows[index].resumeData {
        session.downloadTask(withResumeData: data)
      } else {
        session.downloadTask(with: rows[index].source)
      }
    rows[index].resumeData = nil
    rows[index].task = task
    task.resume()
  }

  func pause(_ index: Int) {
    rows[index].task?.cancel(byProducingResumeData: { data in
      Task { @MainActor in self.rows[index].resumeData = data }
    })
  }

  func stop(_ index: Int) {
    rows[index].task?.cancel()
    rows[index] = Row(source: rows[index].source)
  }

  func hold(_ index: Int) { rows[index].task?.suspend() }

  func startAll() { for index in rows.indices where rows[index].task == nil { start(index) } }

  func stopAll() { for index in rows.indices where !rows[index].isDone { stop(index) } }

  func reset() {
    for index in rows.indices {
      let name = rows[index].source.lastPathComponent
      try? FileManager.default.removeItem(at: documents.appending(path: name))
      rows[index] = Row(source: rows[index].source)
    }
  }

  func rejoin() {
    session.getTasksWithCompletionHandler { _, _, downloads in
      Task { @MainActor in
        for task in downloads { self.adopt(task) }
      }
    }
  }

  func close() { session.finishTasksAndInvalidate() }

  private func adopt(_ task: URLSessionDownloadTask) {
    guard let index = rows.firstIndex(where: { $0.source == task.originalRequest?.url }) else {
      return
    }
    rows[index].task = task
    rows[index].fraction = task.progress.fractionCompleted
  }

  private func index(of identifier: Int) -> Int? {
    rows.firstIndex { $0.task?.taskIdentifier == identifier }
  }

  fileprivate func show(_ task: Int, written: Int64, expected: Int64) {
    guard let index = index(of: task) else { return }
    if expected == NSURLSessionTransferSizeUnknown {
      rows[index].text = ByteCountFormatter.string(fromByteCount: written, countStyle: .file)
    } else {
      rows[index].fraction = Double(written) / Double(expected)
    }
  }

  fileprivate func fail(_ task: Int, _ error: any Error) {
    guard let index = index(of: task) else { return }
    let failure = error as NSError
    rows[index].resumeData = failure.userInfo[NSURLSessionDownloadTaskResumeData] as? Data
    let url = failure.userInfo[NSURLErrorFailingURLErrorKey] as? URL
    rows[index].text = "\(failure.domain) \(failure.code) \(url?.lastPathComponent ?? "")"
  }

  fileprivate func keep(_ file: URL, of task: URLSessionDownloadTask) {
    let name = task.originalRequest?.url?.lastPathComponent ?? file.lastPathComponent
    let place = documents.appending(path: name)
    try? FileManager.default.removeItem(at: place)
    guard (try? FileManager.default.copyItem(at: file, to: place)) != nil else { return }
    if let index = index(of: task.taskIdentifier) { rows[index].isDone = true }
  }

  fileprivate func callHandler() {
    handler?()
    handler = nil
  }
}

// The queue of the session is the main one.
extension FilePanel: URLSessionDownloadDelegate {
  nonisolated func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    MainActor.assumeIsolated {
      show(
        downloadTask.taskIdentifier, written: totalBytesWritten,
        expected: totalBytesExpectedToWrite)
    }
  }

  nonisolated func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    MainActor.assumeIsolated { keep(location, of: downloadTask) }
  }

  nonisolated func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    guard let error else { return }
    MainActor.assumeIsolated { fail(task.taskIdentifier, error) }
  }

  nonisolated func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    MainActor.assumeIsolated { callHandler() }
  }
}

@Suite(.timeLimit(.minutes(3)))
@MainActor
struct FileTableTests {
  private func makePanel(_ scratch: Scratch) -> (
    FilePanel, any URLSessionDownloadDelegate, URLSession
  ) {
    let identifier = "org.example.panel.\(UUID().uuidString)"
    let sources = (1...5).map {
      URL(filePath: "/\($0).pdf", relativeTo: URL(literal: "http://127.0.0.1:9")).absoluteURL
    }
    let panel = FilePanel(identifier: identifier, documents: scratch.folder, sources: sources)
    let session = URLSession(
      configuration: .background(withIdentifier: identifier), delegate: panel,
      delegateQueue: .main)
    return (panel, panel, session)
  }

  @Test func `rows follow their tasks`() throws {
    let scratch = try Scratch()
    let (panel, delegate, session) = makePanel(scratch)
    panel.startAll()
    let task = try #require(panel.rows[0].task)
    delegate.urlSession(
      session, downloadTask: task, didWriteData: 5, totalBytesWritten: 5,
      totalBytesExpectedToWrite: 10)
    #expect(panel.rows[0].fraction == 0.5)
    let arrived = try scratch.file("arrived.tmp", holding: "page")
    delegate.urlSession(session, downloadTask: task, didFinishDownloadingTo: arrived)
    #expect(panel.rows[0].isDone)
    panel.stopAll()
    #expect(panel.rows.dropFirst().allSatisfy { $0.task == nil })
    panel.reset()
    #expect(!panel.rows[0].isDone)
    panel.close()
  }

  @Test func `a row shows bytes for an unknown size and keeps an error's resume data`() throws {
    let scratch = try Scratch()
    let (panel, delegate, session) = makePanel(scratch)
    panel.start(0)
    let task = try #require(panel.rows[0].task)
    delegate.urlSession(
      session, downloadTask: task, didWriteData: 1, totalBytesWritten: 2_000_000,
      totalBytesExpectedToWrite: NSURLSessionTransferSizeUnknown)
    #expect(panel.rows[0].fraction == 0)
    #expect(panel.rows[0].text.contains("2"))
    let error = URLError(
      .networkConnectionLost,
      userInfo: [
        NSURLSessionDownloadTaskResumeData: Data("r".utf8),
        NSURLErrorFailingURLErrorKey: panel.rows[0].source,
      ])
    delegate.urlSession(session, task: task, didCompleteWithError: error)
    #expect(panel.rows[0].resumeData == Data("r".utf8))
    #expect(panel.rows[0].text == "NSURLErrorDomain -1005 1.pdf")
    panel.close()
  }
}
