// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/AsyncDownloads.md
import BackgroundTransfer
import Foundation

@MainActor
func runAsyncDownloads2() async throws {
  actor Downloads: URLSessionDownloadDelegate {
    private var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
    private lazy var session = URLSession(
      configuration: .background(withIdentifier: "org.example.downloads"), delegate: self)

    func fetch(_ url: URL, to place: URL) async throws {
      let task = session.downloadTask(with: url, to: place, onConflict: .replace)
      try await withCheckedThrowingContinuation { continuation in
        waiting[task.taskIdentifier] = continuation
        task.resume()
      }
    }

    nonisolated func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask,
      didFinishDownloadingTo location: URL
    ) {
      print("\(location.path(percentEncoded: false)) is whole")
    }

    nonisolated func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      let number = task.taskIdentifier
      Task { await end(number, error) }
    }

    private func end(_ number: Int, _ error: (any Error)?) {
      // After a relaunch nobody waits; the file is in its place all the same.
      guard let continuation = waiting.removeValue(forKey: number) else { return }
      if let error { continuation.resume(throwing: error) } else { continuation.resume() }
    }
  }
}
