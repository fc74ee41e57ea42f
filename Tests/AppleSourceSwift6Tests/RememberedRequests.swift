import BackgroundTransfer
import Foundation
import Testing

/// What is stored about a request until its file arrives.
struct Errand: Codable, Hashable, Sendable {
  var session: String
  var task: Int
  var name: String
  var customer: UUID
}

/// Errands in separate files, so that the delegate can read them on any thread.
struct ErrandBook: Sendable {
  var folder: URL

  func write(_ errand: Errand) throws {
    try JSONEncoder().encode(errand).write(to: place(errand.session, errand.task))
  }

  func errand(session: String, task: Int) -> Errand? {
    guard let data = try? Data(contentsOf: place(session, task)) else { return nil }
    return try? JSONDecoder().decode(Errand.self, from: data)
  }

  private func place(_ session: String, _ task: Int) -> URL {
    folder.appending(path: "\(session)-\(task).json")
  }
}

final class Courier: NSObject, URLSessionDownloadDelegate, Sendable {
  let book: ErrandBook
  let target: URL

  init(book: ErrandBook, target: URL) {
    self.book = book
    self.target = target
  }

  func session(_ identifier: String, on queue: OperationQueue? = .main) -> URLSession {
    URLSession(
      configuration: .background(withIdentifier: identifier), delegate: self, delegateQueue: queue)
  }

  /// Saved before the task is resumed: it may complete before the next line.
  func fetch(_ url: URL, as name: String, in session: URLSession) throws -> URLSessionDownloadTask {
    let task = session.downloadTask(with: url)
    task.taskDescription = name
    if let identifier = session.configuration.identifier {
      try book.write(
        Errand(session: identifier, task: task.taskIdentifier, name: name, customer: UUID()))
    }
    return task
  }

  func rejoin(_ identifier: String) async -> Int {
    let (_, _, downloads) = await session(identifier).tasks
    return downloads.count
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    guard let identifier = session.configuration.identifier,
      let errand = book.errand(session: identifier, task: downloadTask.taskIdentifier)
    else { return }
    try? FileManager.default.moveItem(at: location, to: target.appending(path: errand.name))
  }
}

@Suite(.timeLimit(.minutes(3)))
struct RememberedRequestsTests {
  @Test func `another delegate finds the errand of a task`() throws {
    let scratch = try Scratch()
    let book = ErrandBook(folder: scratch.folder)
    let sender = Courier(book: book, target: scratch.folder)
    let session = sender.session("org.example.errands")
    let url = URL(literal: "http://127.0.0.1:9/plan.pdf")
    let task = try sender.fetch(url, as: "plan.pdf", in: session)
    let receiver: any URLSessionDownloadDelegate = Courier(book: book, target: scratch.folder)
    let arrived = try scratch.file("arrived.tmp", holding: "lines")
    receiver.urlSession(session, downloadTask: task, didFinishDownloadingTo: arrived)
    let file = scratch.folder.appending(path: "plan.pdf").path()
    #expect(FileManager.default.contents(atPath: file) == Data("lines".utf8))
    #expect(session.delegateQueue === OperationQueue.main)
    #expect(task.taskDescription == "plan.pdf")
  }

  @Test func `data tasks are refused in a background session`() async throws {
    _ = try Scratch()
    let session = URLSession(
      configuration: .background(withIdentifier: "org.example.refused"), delegate: nil,
      delegateQueue: nil)
    let url = URL(literal: "http://127.0.0.1:9/token")
    let error = await withCheckedContinuation { continuation in
      session.dataTask(with: url) { data, response, error in
        continuation.resume(returning: data == nil && response == nil ? error : nil)
      }.resume()
    }
    #expect((error as? URLError)?.code == .unknown)
  }
}
