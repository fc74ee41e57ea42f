import BackgroundTransfer
import Foundation
import Synchronization

/// What the program needs to know about a request when its file arrives.
struct Order: Codable, Sendable {
  var fileName: String
  var customer: String
}

/// Shows what a program can store with a task: where the file belongs and for whom it is. The
/// service stores it atomically with the task, so the program needs no table of its own.
///
///     request-info DIRECTORY URL FILE-NAME CUSTOMER [--leave]
///
/// With `--leave` the program exits at once; when it is started again for its session, the task
/// contains all that it needs. It writes events to `orders.log` in DIRECTORY.
@main
final class RequestInfo: NSObject, URLSessionDownloadDelegate, Sendable {
  private let directory: URL
  private let eventsHandler = Mutex<(@Sendable () -> Void)?>(nil)

  init(directory: URL) { self.directory = directory }

  static func main() throws {
    var words = Array(CommandLine.arguments.dropFirst())
    let leaves = words.contains("--leave")
    words.removeAll { $0 == "--leave" }
    guard words.count == 4, let url = URL(string: words[1]) else {
      let usage = "usage: request-info DIRECTORY URL FILE-NAME CUSTOMER [--leave]\n"
      FileHandle.standardError.write(Data(usage.utf8))
      exit(2)
    }
    let delegate = RequestInfo(directory: URL(filePath: words[0]))
    BackgroundEvents.handle { _, completionHandler in
      delegate.eventsHandler.withLock { $0 = completionHandler }
    }
    let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.orders")
    configuration.asksServerTrust = false
    configuration.launch = .ownProgram
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    if BackgroundEvents.sessionIdentifier == nil {
      let task = session.downloadTask(with: url)
      // Set before `resume`, so that no file ever arrives without it.
      task.userInfo = try JSONEncoder().encode(Order(fileName: words[2], customer: words[3]))
      task.taskDescription = "\(words[2]) for \(words[3])"
      task.resume()
      if leaves { exit(0) }
    }
    dispatchMain()
  }

  private func order(of task: URLSessionTask) -> Order? {
    task.userInfo.flatMap { try? JSONDecoder().decode(Order.self, from: $0) }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    guard let order = order(of: downloadTask) else { return say("a file without an order") }
    guard let reply = downloadTask.response as? HTTPURLResponse, reply.statusCode == 200 else {
      return say("nothing for \(order.customer)")
    }
    do {
      try FileManager.default.moveItem(
        at: location, to: directory.appending(path: order.fileName))
      say("\(order.fileName) is ready for \(order.customer)")
    } catch {
      say("could not move \(order.fileName): \(error)")
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    if let error { say("\(order(of: task)?.fileName ?? "a file") failed: \(error)") }
    // Ends this run, but only after the service knows that the call was received.
    if BackgroundEvents.sessionIdentifier == nil { session.finishTasksAndInvalidate() }
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    exit(error == nil ? 0 : 1)
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    eventsHandler.withLock { $0.take() }?()
    say("finished in the background")
    exit(0)
  }

  private func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    let log = open(
      directory.appending(path: "orders.log").path(percentEncoded: false),
      O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC,
      0o600)
    defer { close(log) }
    for descriptor in [STDOUT_FILENO, log] { _ = write(descriptor, bytes, bytes.count) }
  }
}
