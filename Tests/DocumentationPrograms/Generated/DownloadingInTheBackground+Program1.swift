// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/DownloadingInTheBackground.md
import BackgroundTransfer
import Foundation
import Synchronization

@MainActor
func runDownloadingInTheBackground1() throws {
  final class Shelf: URLSessionDownloadDelegate, Sendable {
    private let folder: URL
    private let whenDone = Mutex<(@Sendable () -> Void)?>(nil)

    init(folder: URL) { self.folder = folder }

    func keep(_ handler: @escaping @Sendable () -> Void) { whenDone.withLock { $0 = handler } }

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask,
      didFinishDownloadingTo location: URL
    ) {
      guard let reply = downloadTask.response as? HTTPURLResponse,
        (200..<300).contains(reply.statusCode)
      else { return }
      let name = downloadTask.taskDescription ?? "task-\(downloadTask.taskIdentifier)"
      do {
        try FileManager.default.moveItem(at: location, to: folder.appending(path: name))
      } catch {
        print("\"\(name)\" could not be kept: \(error.localizedDescription)")
      }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      if let error { print("Task \(task.taskIdentifier): \(error.localizedDescription)") }
      if BackgroundEvents.sessionIdentifier == nil { session.finishTasksAndInvalidate() }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
      exit(0)
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
      let handler = whenDone.withLock { handler in
        defer { handler = nil }
        return handler
      }
      handler?()
      if BackgroundEvents.sessionIdentifier != nil { exit(0) }
    }
  }
  let shelf = Shelf(folder: URL(filePath: "\(Place.root)/books"))
  BackgroundEvents.handle { identifier, completionHandler in
    print("Started for the session \"\(identifier)\"")
    shelf.keep(completionHandler)
  }
  let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.books")
  let session = URLSession(configuration: configuration, delegate: shelf, delegateQueue: nil)
  if BackgroundEvents.sessionIdentifier == nil {
    session.getAllTasks { tasks in
      guard tasks.isEmpty, let book = URL(string: "\(Place.origin)/books/17.pdf")
      else { return }
      let task = session.downloadTask(with: book)
      task.taskDescription = "17.pdf"
      task.countOfBytesClientExpectsToReceive = 30 * 1024 * 1024
      task.resume()
    }
  }
  dispatchMain()
}
