import BackgroundTransfer
import Foundation
import Testing

/// A view model on the main actor, as in programs that were written before Swift 6.
@MainActor
class BookModel: NSObject {
  var resumeData: Data?
  var titles: [String] = []
  var fraction: Double = 0
  private var task: URLSessionDownloadTask?

  private lazy var session = URLSession(
    configuration: .background(withIdentifier: "org.example.books"), delegate: self,
    delegateQueue: .main)

  func fetch(_ request: URLRequest) -> URLSessionDownloadTask {
    let task = session.downloadTask(with: request)
    task.priority = URLSessionTask.highPriority
    self.task = task
    return task
  }

  func pause() {
    task?.cancel(byProducingResumeData: { data in
      Task { @MainActor in self.resumeData = data }
    })
  }

  func pauseAndLook() {
    var isThere = false
    task?.cancel { data in
      isThere = data != nil
      if isThere { DispatchQueue.main.async { self.titles = [] } }
    }
  }

  func reload() {
    session.getAllTasks { tasks in
      let titles = tasks.map { $0.taskDescription ?? "" }
      DispatchQueue.main.async { self.titles = titles }
    }
    session.getTasksWithCompletionHandler { _, _, downloads in
      let fraction = downloads.first?.progress.fractionCompleted ?? 0
      Task { @MainActor in self.fraction = fraction }
    }
  }

  func upload(_ file: URL, to url: URL) -> URLSessionUploadTask {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("application/pdf", forHTTPHeaderField: "Content-Type")
    return session.uploadTask(with: request, fromFile: file)
  }
}

extension BookModel: URLSessionDownloadDelegate {
  nonisolated func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    let title = downloadTask.originalRequest?.url?.lastPathComponent ?? location.lastPathComponent
    DispatchQueue.main.async { self.titles.append(title) }
  }
}

@Suite(.timeLimit(.minutes(3)))
@MainActor
struct MainActorModelTests {
  @Test func `a task keeps its request, its priority and its HTTP method`() throws {
    let scratch = try Scratch()
    let model = BookModel()
    let url = URL(literal: "http://127.0.0.1:9/book.pdf")
    var request = URLRequest(url: url)
    request.setValue("de", forHTTPHeaderField: "Accept-Language")
    let task = model.fetch(request)
    #expect(task.priority == 0.75)
    #expect(task.originalRequest?.value(forHTTPHeaderField: "Accept-Language") == "de")
    #expect(task.currentRequest?.url == url)
    let book = try scratch.file("book.pdf", holding: "pages")
    let upload = model.upload(book, to: url)
    #expect(upload.originalRequest?.httpMethod == "POST")
    #expect(upload.state == .suspended)
  }
}
