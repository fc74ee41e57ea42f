import BackgroundTransfer
import Foundation
import Synchronization

/// Shows a download that continues without its program, and how the service restarts the program.
///
///     background-download URL FILE [--log LOG] [--leave] [--halt]
///
/// With `--leave` the program exits as soon as it has requested the file. The service downloads it
/// and starts the program again with the same arguments, and the program receives the same calls
/// that it would have received without exiting. A program that was started this way has no
/// terminal, so give it a LOG. With `--halt` the program stops itself when it receives the file:
/// kill it, and see that nothing is lost.
@main
final class BackgroundDownload: NSObject, URLSessionDownloadDelegate, Sendable {
  /// The same in every run; otherwise the session of the last run would not be found.
  static let identifier = "org.example.background-download"

  private let file: URL
  private let halts: Bool
  private let eventsHandler = Mutex<(@Sendable () -> Void)?>(nil)

  init(file: URL, halts: Bool) {
    self.file = file
    self.halts = halts
  }

  static func main() {
    var words = Array(CommandLine.arguments.dropFirst())
    let options = Set(words.filter { $0 == "--leave" || $0 == "--halt" })
    words.removeAll(where: options.contains)
    if let index = words.firstIndex(of: "--log"), words.indices.contains(index + 1) {
      // Redirects the output to the log.
      let log = open(words[index + 1], O_WRONLY | O_APPEND | O_CREAT, 0o600)
      dup2(log, STDOUT_FILENO)
      words.removeSubrange(index...index + 1)
    }
    guard words.count == 2, let url = URL(string: words[0]) else {
      say("usage: background-download URL FILE [--log LOG] [--leave] [--halt]")
      exit(2)
    }
    let wasLaunched = BackgroundEvents.sessionIdentifier != nil
    let delegate = BackgroundDownload(
      file: URL(filePath: words[1]), halts: options.contains("--halt") && !wasLaunched)
    BackgroundEvents.handle { identifier, completionHandler in
      say("handleEvents \(identifier)")
      delegate.eventsHandler.withLock { $0 = completionHandler }
    }

    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    // This program does not pin certificates, and may have exited before a certificate is checked.
    configuration.asksServerTrust = false
    // It is launched although a person started it in a terminal.
    configuration.launch = .ownProgram
    let session = URLSession(
      configuration: configuration, delegate: delegate, delegateQueue: nil)
    if !wasLaunched {
      let task = session.downloadTask(with: url)
      task.resume()
      say("resume \(task.taskIdentifier)")
      if options.contains("--leave") { exit(0) }
    }
    dispatchMain()
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    let task = downloadTask.taskIdentifier
    say("didWriteData \(task) \(totalBytesWritten) of \(totalBytesExpectedToWrite)")
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    let status = (downloadTask.response as? HTTPURLResponse)?.statusCode ?? 0
    say("didFinishDownloadingTo \(downloadTask.taskIdentifier) \(status)")
    if halts { raise(SIGSTOP) }
    // An error page is also a file, but not the requested one.
    guard (200...299).contains(status) else { return }
    do {
      try FileManager.default.moveItem(at: location, to: file)
    } catch {
      say("could not move it: \(error)")
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let code = (error as? URLError).map { "\($0.code.rawValue)" } ?? "\(error == nil ? 0 : 1)"
    say("didCompleteWithError \(task.taskIdentifier) \(code)")
    // A program that was started for its session waits for `urlSessionDidFinishEvents` instead.
    if BackgroundEvents.sessionIdentifier == nil { session.finishTasksAndInvalidate() }
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    say("didBecomeInvalidWithError \(error.map { "\($0)" } ?? "nil")")
    exit(error == nil ? 0 : 1)
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    say("didFinishEvents")
    eventsHandler.withLock { $0.take() }?()
    say("handler called")
    exit(0)
  }
}

/// Writes each line at once and completely.
private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
