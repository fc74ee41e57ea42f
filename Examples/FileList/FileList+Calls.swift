import BackgroundTransfer
import Foundation

// The session's delegate queue is the main queue, so these calls already run on the main actor.
extension FileList: URLSessionDownloadDelegate {
  nonisolated func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    MainActor.assumeIsolated {
      guard let row = row(of: downloadTask), totalBytesExpectedToWrite > 0 else { return }
      let percent = totalBytesWritten * 100 / totalBytesExpectedToWrite
      if rows[row].percent != percent { say(row, "\(percent) %") }
      rows[row].percent = percent
    }
  }

  nonisolated func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
  ) {
    MainActor.assumeIsolated {
      if let row = row(of: downloadTask) { say(row, "resumed at \(fileOffset)") }
    }
  }

  nonisolated func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    MainActor.assumeIsolated {
      guard let row = row(of: downloadTask) else { return }
      let destination = directory.appending(path: rows[row].url.lastPathComponent)
      try? FileManager.default.removeItem(at: destination)
      let isThere = (try? FileManager.default.moveItem(at: location, to: destination)) != nil
      say(row, isThere ? "finished" : "could not be moved")
    }
  }

  nonisolated func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    MainActor.assumeIsolated {
      guard let row = row(of: task) else { return }
      rows[row].task = nil
      if let error, (error as? URLError)?.code != .cancelled { say(row, "failed: \(error)") }
    }
  }
}
