import BackgroundTransfer
import Foundation
import Testing

/// One row: a file and its progress.
class FileRow: NSObject {
  var title: String
  var source: String
  var task: URLSessionDownloadTask?
  var resumeData: Data?
  var progress: Double = 0
  var isDownloading = false
  var isComplete = false
  var taskIdentifier = -1

  init(title: String, source: String) {
    self.title = title
    self.source = source
  }
}

/// The table without its view: rows that can be started, paused and stopped.
class FileTableController: NSObject, URLSessionDelegate, URLSessionDownloadDelegate {
  let identifier: String
  var rows: [FileRow]
  let documents: URL
  var transferHandler: (() -> Void)?
  var reloads = 0
  var errors: [Error] = []

  lazy var session: URLSession = {
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    configuration.httpMaximumConnectionsPerHost = 5
    return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
  }()

  init(documents: URL, identifier: String, sources: [String]) {
    self.documents = documents
    self.identifier = identifier
    rows = sources.map { FileRow(title: "File", source: $0) }
  }

  func startOrPause(_ row: FileRow) {
    if row.isDownloading {
      row.task?.cancel(byProducingResumeData: { data in
        if let data = data { row.resumeData = data }
      })
    } else if row.taskIdentifier == -1 {
      start(row)
    } else if let data = row.resumeData {
      row.task = session.downloadTask(withResumeData: data)
      row.task?.resume()
      row.taskIdentifier = row.task?.taskIdentifier ?? -1
    }
    row.isDownloading = !row.isDownloading
  }

  private func start(_ row: FileRow) {
    guard let url = URL(string: row.source) else { return }
    let task = session.downloadTask(with: url)
    task.taskDescription = row.title
    row.task = task
    row.taskIdentifier = task.taskIdentifier
    task.resume()
  }

  func stop(_ row: FileRow) {
    row.task?.cancel()
    row.isDownloading = false
    row.taskIdentifier = -1
    row.progress = 0
    row.resumeData = nil
  }

  func startAll() { for row in rows where !row.isDownloading { startOrPause(row) } }

  func stopAll() { for row in rows where row.isDownloading { stop(row) } }

  func close() { session.invalidateAndCancel() }

  private func row(of task: URLSessionTask) -> FileRow? { rows.first { $0.task == task } }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    if totalBytesExpectedToWrite == NSURLSessionTransferSizeUnknown { return }
    guard let row = row(of: downloadTask) else { return }
    row.progress = Double(totalBytesWritten) / Double(totalBytesExpectedToWrite)
    OperationQueue.main.addOperation { self.reloads += 1 }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    guard let name = downloadTask.originalRequest?.url?.lastPathComponent else { return }
    let place = documents.appendingPathComponent(name)
    let files = FileManager.default
    if files.fileExists(atPath: place.path) { try? files.removeItem(at: place) }
    do {
      try files.copyItem(at: location, to: place)
    } catch {
      errors.append(error)
      return
    }
    row(of: downloadTask)?.isDownloading = false
    row(of: downloadTask)?.isComplete = true
    row(of: downloadTask)?.resumeData = nil
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
    guard let error = error else { return }
    errors.append(error)
    let failure = error as NSError
    guard failure.domain == NSURLErrorDomain, let row = row(of: task) else { return }
    row.isDownloading = false
    if failure.code == NSURLErrorCancelled,
      failure.userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] != nil
    {
      stop(row)
    } else {
      row.resumeData = failure.userInfo[NSURLSessionDownloadTaskResumeData] as? Data
    }
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    session.getTasksWithCompletionHandler { _, _, downloads in
      guard downloads.isEmpty, let handler = self.transferHandler else { return }
      self.transferHandler = nil
      OperationQueue.main.addOperation { handler() }
    }
  }
}

@Suite(.timeLimit(.minutes(3)))
struct FileTableTests {
  /// A table whose delegate methods only the test calls.
  private func makeTable(_ scratch: Scratch) -> FileTableController {
    let table = FileTableController(
      documents: scratch.folder, identifier: "org.example.table.\(UUID().uuidString)",
      sources: (1...5).map { "http://127.0.0.1:9/file\($0).pdf" })
    table.session.delegateQueue.isSuspended = true
    return table
  }

  @Test func `a row shows the session's progress, and none for an unknown size`() throws {
    let scratch = try Scratch()
    let table = makeTable(scratch)
    table.startAll()
    let task = try #require(table.rows[2].task)
    let delegate: URLSessionDownloadDelegate = table
    delegate.urlSession(
      table.session, downloadTask: task, didWriteData: 1, totalBytesWritten: 1,
      totalBytesExpectedToWrite: -1)
    #expect(table.rows[2].progress == 0)
    delegate.urlSession(
      table.session, downloadTask: task, didWriteData: 1, totalBytesWritten: 2,
      totalBytesExpectedToWrite: 8)
    #expect(table.rows[2].progress == 0.25)
    #expect(task.taskDescription == "File")
    let arrived = try scratch.file("temporary", holding: "pages")
    delegate.urlSession(table.session, downloadTask: task, didFinishDownloadingTo: arrived)
    #expect(table.rows.map(\.isComplete) == [false, false, true, false, false])
    let copy = scratch.folder.appendingPathComponent("file3.pdf").path
    #expect(FileManager.default.contents(atPath: copy) == Data("pages".utf8))
    table.stopAll()
    #expect(table.rows.allSatisfy { $0.taskIdentifier == -1 || $0.isComplete })
    table.close()
  }

  @Test func `a download's error contains resume data under Apple's key`() throws {
    let scratch = try Scratch()
    let table = makeTable(scratch)
    table.startAll()
    let task = try #require(table.rows[0].task)
    let data = Data("opaque".utf8)
    let error = URLError(
      .networkConnectionLost, userInfo: ["NSURLSessionDownloadTaskResumeData": data])
    let delegate: URLSessionTaskDelegate = table
    delegate.urlSession(table.session, task: task, didCompleteWithError: error)
    #expect(table.rows[0].resumeData == data)
    #expect(error.downloadTaskResumeData == data)
    #expect(!table.rows[0].isDownloading)
    table.close()
  }

  @Test func `constants have the values of Apple's headers`() {
    #expect(NSURLSessionTransferSizeUnknown == -1)
    #expect(NSURLSessionDownloadTaskResumeData == "NSURLSessionDownloadTaskResumeData")
    #expect(URLSessionTask.State.running.rawValue == 0)
    #expect(URLSessionTask.State.suspended.rawValue == 1)
    #expect(URLSessionTask.State.canceling.rawValue == 2)
    #expect(URLSessionTask.State.completed.rawValue == 3)
    #expect(URLSession.AuthChallengeDisposition.useCredential.rawValue == 0)
    #expect(URLSession.AuthChallengeDisposition.rejectProtectionSpace.rawValue == 3)
    #expect(NSURLErrorBackgroundSessionRequiresSharedContainer == -995)
    #expect(NSURLErrorBackgroundSessionInUseByAnotherProcess == -996)
    #expect(NSURLErrorBackgroundSessionWasDisconnected == -997)
    #expect(NSURLErrorCancelled == -999)
    let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.defaults")
    #expect(!configuration.isDiscretionary)
    #expect(configuration.sessionSendsLaunchEvents)
    #expect(configuration.httpMaximumConnectionsPerHost == 6)
    #expect(configuration.timeoutIntervalForRequest == 60)
    #expect(configuration.timeoutIntervalForResource == 604_800)
    #expect(configuration.allowsCellularAccess)
  }
}
