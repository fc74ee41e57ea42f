// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/AListOfFiles.md
import BackgroundTransfer
import Foundation

@MainActor
func runAListOfFiles1() async throws {
  @MainActor
  final class DownloadList {
    struct Row {
      let title: String
      let url: URL
      var task: URLSessionDownloadTask?
    }

    private(set) var rows: [Row]
    private let folder: URL
    private let session: URLSession

    init(files: [(title: String, url: URL)], folder: URL, delegate: any URLSessionDelegate) {
      rows = files.map { Row(title: $0.title, url: $0.url) }
      self.folder = folder
      session = URLSession(
        configuration: .background(withIdentifier: "org.example.list"), delegate: delegate)
    }

    /// Finds the tasks of an earlier run again.
    func restore() async {
      for case let task as URLSessionDownloadTask in await session.allTasks {
        for index in rows.indices where rows[index].title == task.taskDescription {
          rows[index].task = task
        }
      }
    }

    func place(of row: Row) -> URL { folder.appending(path: row.title + ".pdf") }
    func isThere(_ row: Row) -> Bool {
      FileManager.default.fileExists(atPath: place(of: row).path(percentEncoded: false))
    }

    /// Starts what has not begun, and goes on with what was paused.
    func start(_ index: Int) {
      let row = rows[index]
      guard !isThere(row) else { return }
      switch row.task?.state {
      case .suspended: row.task?.resume()
      case .running: break
      case .canceling, .completed, nil:
        let task = session.downloadTask(with: row.url, to: place(of: row), onConflict: .skip)
        task.taskDescription = row.title
        task.resume()
        rows[index].task = task
      }
    }

    func pause(_ index: Int) {
      if let task = rows[index].task, task.state == .running { task.suspend() }
    }

    func stop(_ index: Int) {
      rows[index].task?.cancel()
      rows[index].task = nil
    }

    func startAll() { for index in rows.indices { start(index) } }
    func pauseAll() { for index in rows.indices { pause(index) } }
    func stopAll() { for index in rows.indices { stop(index) } }

    /// Deletes what was fetched, and begins again from nothing.
    func reset() throws {
      stopAll()
      for row in rows where isThere(row) { try FileManager.default.removeItem(at: place(of: row)) }
    }
  }
}
