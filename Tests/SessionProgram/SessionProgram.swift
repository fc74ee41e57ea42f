import BackgroundTransfer
import Foundation
import Synchronization

/// A program for tests of the end of a process.
///
///     session-program LOG add COUNT URL        resumes COUNT downloads of URL0, URL1, … and exits
///     session-program LOG late COUNT URL       the same after a line on its input
///     session-program LOG control COUNT URL    adds, suspends, resumes and cancels COUNT downloads
///     session-program LOG stay COUNT URL LATER  adds COUNT downloads, and LATER more that begin in
///                                              an hour, unless it has some; stays
///     session-program LOG exit-in CALL URL...  exits inside the first such call
///
/// It appends a line for each delegate call to the file LOG. A run that the service launched
/// requests nothing, and exits when it has received its events. The variable TITLE is the title of
/// the tasks of `exit-in`; with UPLOAD, the path of a file, they are uploads of it.
@main
final class SessionProgram: URLSessionDownloadDelegate, URLSessionDataDelegate, Sendable {
  private let log: Int32
  private let lastCall: String?
  private let whenDone = Mutex<(@Sendable () -> Void)?>(nil)

  private init(log: Int32, lastCall: String?) {
    self.log = log
    self.lastCall = lastCall
  }

  static func main() {
    let words = Array(CommandLine.arguments.dropFirst())
    guard words.count >= 4 else { exit(2) }
    let log = open(words[0], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    let program = SessionProgram(log: log, lastCall: words[1] == "exit-in" ? words[2] : nil)
    BackgroundEvents.handle { _, handler in program.whenDone.withLock { $0 = handler } }
    let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.program")
    configuration.asksServerTrust = false
    if let directory = ProcessInfo.processInfo.environment["EMBEDDED"] {
      configuration.service = .embedded(directory: URL(filePath: directory))
    }
    let session = URLSession(configuration: configuration, delegate: program, delegateQueue: nil)
    if BackgroundEvents.sessionIdentifier != nil { dispatchMain() }
    let (count, base) = (Int(words[2]) ?? 0, words[3])
    switch words[1] {
    case "add": add(session, count, base)
    case "late":
      session.getAllTasks { _ in program.say("attached") }
      _ = readLine()
      add(session, count, base)
    case "control": program.control(session, count, base)
    case "stay":
      program.say("started")
      addOnce(session, count, base, future: words.count > 4 ? Int(words[4]) ?? 0 : 0)
      dispatchMain()
    default: program.request(words.dropFirst(3), session)
    }
    if words[1] != "exit-in" { exit(0) }
    dispatchMain()
  }

  @discardableResult
  private static func add(
    _ session: URLSession, _ count: Int, _ base: String
  ) -> [URLSessionDownloadTask] {
    (0..<count).compactMap { URL(string: base + "\($0)") }.map { url in
      let task = session.downloadTask(with: url)
      task.resume()
      return task
    }
  }

  private static func addOnce(_ session: URLSession, _ count: Int, _ base: String, future: Int) {
    session.getAllTasks { tasks in
      guard tasks.isEmpty else { return }
      for number in 0..<future {
        guard let url = URL(string: base + "later\(number)") else { continue }
        let task = session.downloadTask(with: url)
        task.earliestBeginDate = Date(timeIntervalSinceNow: 3600)
        task.resume()
      }
      add(session, count, base)
    }
  }

  private func request(_ urls: ArraySlice<String>, _ session: URLSession) {
    session.getAllTasks { tasks in
      guard tasks.isEmpty else { return }
      let environment = ProcessInfo.processInfo.environment
      for url in urls.compactMap(URL.init(string:)) {
        let task = Self.makeTask(session, url, upload: environment["UPLOAD"])
        if let title = environment["TITLE"] {
          task.updateTitle(title, subtitle: "Chapter 3 of 12")
        }
        task.resume()
      }
    }
  }

  private static func makeTask(
    _ session: URLSession, _ url: URL, upload path: String?
  ) -> URLSessionTask {
    guard let path else { return session.downloadTask(with: url) }
    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    return session.uploadTask(with: request, fromFile: URL(filePath: path))
  }

  /// Measures each step until the service has recorded it.
  private func control(_ session: URLSession, _ count: Int, _ base: String) {
    let clock = ContinuousClock()
    var tasks: [URLSessionDownloadTask] = []
    /// Lets the service record what `body` requests, and writes how long that took.
    func step(_ name: String, _ body: () -> Void) {
      let semaphore = DispatchSemaphore(value: 0)
      let time = clock.measure {
        body()
        session.flush { semaphore.signal() }
        semaphore.wait()
      }
      say("\(name) \(time / .milliseconds(1))")
    }
    step("add") { tasks = Self.add(session, count, base) }
    // The test answers when the transfers are under way.
    _ = readLine()
    step("suspend") { for task in tasks { task.suspend() } }
    step("resume") { for task in tasks { task.resume() } }
    step("cancel") { for task in tasks { task.cancel() } }
  }

  private func say(_ line: String) {
    let line = Array((line + "\n").utf8)
    _ = write(log, line, line.count)
  }

  private func called(_ call: String, _ detail: String = "") {
    say(call + detail)
    let isLaunched = BackgroundEvents.sessionIdentifier != nil
    if call == lastCall, isLaunched == (call == "events") { exit(0) }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) { called("finished", " \(downloadTask.taskIdentifier)") }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    called("received", " \(dataTask.taskIdentifier)")
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) { called("collected", " \(task.taskIdentifier)") }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) { called("completed", " \(task.taskIdentifier)") }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    called("events")
    whenDone.withLock { $0.take() }?()
    exit(0)
  }
}
