import BackgroundTransfer
import Foundation

/// Shows a list of files, each of which can be started, paused, resumed and stopped individually.
///
///     file-list DIRECTORY URL...
///
/// It reads commands, one per line: `start`, `pause`, `resume` or `stop` with the number of a file
/// or the word `all`, and `quit`. The downloads continue after `quit`.
@MainActor
final class FileList: NSObject {
  struct Row {
    var url: URL
    var task: URLSessionDownloadTask?
    var resumeData: Data?
    var percent: Int64 = -1
  }

  var rows: [Row]
  let directory: URL

  private lazy var session: URLSession = {
    let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.file-list")
    configuration.httpMaximumConnectionsPerHost = 5
    configuration.sessionSendsLaunchEvents = false
    return URLSession(configuration: configuration, delegate: self, delegateQueue: .main)
  }()

  init(directory: URL, urls: [URL]) {
    self.directory = directory
    rows = urls.map { Row(url: $0) }
  }

  /// Finds the tasks of an earlier run.
  func open() async {
    for case let task as URLSessionDownloadTask in await session.allTasks {
      guard let row = rows.firstIndex(where: { $0.url == task.originalRequest?.url }) else {
        continue
      }
      rows[row].task = task
      say(row, "found")
    }
    print("ready")
  }

  func obey(_ line: String) {
    let words = line.split(separator: " ")
    if words == ["quit"] { exit(0) }
    let number = words.last.flatMap { Int($0) }.map { $0 - 1 }
    let chosen = words.last == "all" ? Array(rows.indices) : rows.indices.filter { $0 == number }
    guard words.count == 2, !chosen.isEmpty else { return print("what?") }
    for row in chosen {
      switch words[0] {
      case "start" where rows[row].task == nil:
        start(row, session.downloadTask(with: rows[row].url))
      case "pause": pause(row)
      case "resume": resume(row)
      case "stop": stop(row)
      default: say(row, "is as it is")
      }
    }
  }

  private func start(_ row: Int, _ task: URLSessionDownloadTask) {
    rows[row].task = task
    rows[row].resumeData = nil
    task.resume()
    say(row, "started")
  }

  /// Cancels the download and keeps its resume data: that is what a pause is.
  private func pause(_ row: Int) {
    guard let task = rows[row].task else { return say(row, "is not running") }
    task.cancel(byProducingResumeData: { data in
      Task { @MainActor in
        self.rows[row].resumeData = data
        self.say(row, data == nil ? "paused without resume data" : "paused")
      }
    })
  }

  private func resume(_ row: Int) {
    // Without resume data the download starts over.
    start(
      row,
      rows[row].resumeData.map { session.downloadTask(withResumeData: $0) }
        ?? session.downloadTask(with: rows[row].url))
  }

  private func stop(_ row: Int) {
    rows[row].task?.cancel()
    rows[row] = Row(url: rows[row].url)
    say(row, "stopped")
  }

  func row(of task: URLSessionTask) -> Int? { rows.firstIndex { $0.task == task } }

  func say(_ row: Int, _ what: String) { print("\(row + 1) \(what)") }

  private func print(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
