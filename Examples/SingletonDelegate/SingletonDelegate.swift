import BackgroundTransfer
import Foundation
import Synchronization

/// Shows one delegate for all sessions of a program. It keeps the completion handler of each
/// session until it can be called.
///
///     singleton-delegate DIRECTORY URL... [--leave]
///
/// The URLs alternate between two sessions. With `--leave` the program exits at once and is started
/// again for each session when it is done. It writes events to `calls.log` in DIRECTORY.
@main
final class SingletonDelegate: NSObject, URLSessionDownloadDelegate, Sendable {
  static let shared = SingletonDelegate()
  static let identifiers = ["org.example.singleton.even", "org.example.singleton.odd"]

  private struct State {
    var directory = URL.currentDirectory()
    var handlers: [String: @Sendable () -> Void] = [:]
    var openSessionCount = 0
  }

  private let state = Mutex(State())

  static func main() {
    var words = Array(CommandLine.arguments.dropFirst())
    let leaves = words.contains("--leave")
    words.removeAll { $0 == "--leave" }
    let urls = words.dropFirst().compactMap { URL(string: $0) }
    guard let directory = words.first, !urls.isEmpty, urls.count == words.count - 1 else {
      FileHandle.standardError.write(Data("usage: singleton-delegate DIRECTORY URL...\n".utf8))
      exit(2)
    }
    shared.state.withLock { $0.directory = URL(filePath: directory) }
    BackgroundEvents.handle { identifier, completionHandler in
      shared.say("handleEvents \(identifier)")
      shared.state.withLock { $0.handlers[identifier] = completionHandler }
    }
    if let identifier = BackgroundEvents.sessionIdentifier {
      // The other session may still be running, and will start a process of its own.
      _ = shared.makeSession(identifier)
    } else {
      let sessions = shared.begin(urls)
      if leaves { exit(0) }
      for session in sessions { session.finishTasksAndInvalidate() }
    }
    dispatchMain()
  }

  private func makeSession(_ identifier: String) -> URLSession {
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    configuration.asksServerTrust = false
    return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
  }

  private func begin(_ urls: [URL]) -> [URLSession] {
    // A session that another process has becomes invalid at once.
    state.withLock { $0.openSessionCount = Self.identifiers.count }
    let sessions = Self.identifiers.map(makeSession)
    for (number, url) in urls.enumerated() {
      sessions[number % sessions.count].downloadTask(with: url).resume()
    }
    return sessions
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    let reply = downloadTask.response as? HTTPURLResponse
    say("didFinishDownloadingTo \(name(session, downloadTask)) \(reply?.statusCode ?? 0)")
    guard let reply, (200...299).contains(reply.statusCode) else { return }
    let name = downloadTask.originalRequest?.url?.lastPathComponent ?? location.lastPathComponent
    let destination = state.withLock { $0.directory.appending(path: name) }
    do {
      try FileManager.default.moveItem(at: location, to: destination)
    } catch {
      say("could not move it: \(error)")
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    say("didCompleteWithError \(name(session, task)) \(error.map { "\($0)" } ?? "nil")")
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    let openCount = state.withLock { state in
      state.openSessionCount -= 1
      return state.openSessionCount
    }
    if openCount == 0 { exit(error == nil ? 0 : 1) }
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    guard let identifier = session.configuration.identifier else { return }
    say("didFinishEvents \(identifier)")
    let handler = state.withLock { $0.handlers.removeValue(forKey: identifier) }
    handler?()
    say("handler called \(identifier)")
    exit(0)
  }

  private func name(_ session: URLSession, _ task: URLSessionTask) -> String {
    "\(session.configuration.identifier ?? "") \(task.taskIdentifier)"
  }

  /// Writes to the terminal and to the log, because a launched program has no terminal.
  private func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    let path = state.withLock {
      $0.directory.appending(path: "calls.log").path(percentEncoded: false)
    }
    let log = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(log) }
    for descriptor in [STDOUT_FILENO, log] { _ = write(descriptor, bytes, bytes.count) }
  }
}
