// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/AListOfFiles.md
import BackgroundTransfer
import Foundation

private func example1() async throws {
  for await progress in task.progressUpdates {
    let size = ByteCountFormatter.string(
      fromByteCount: progress.completedByteCount, countStyle: .binary)
    switch progress.fraction {
    case let fraction?: print(String(repeating: "█", count: Int(fraction * 40)), size)
    case nil: print(size, "of a file whose size is not known")
    }
  }
}

private func example2() async throws {
  let tasks = await session.allTasks
  let received = tasks.reduce(0) { $0 + $1.countOfBytesReceived }
  let totals = tasks.map(\.countOfBytesExpectedToReceive)
  if !totals.contains(NSURLSessionTransferSizeUnknown) {
    print("\(received) of \(totals.reduce(0, +)) bytes")
  }
  _ = tasks
  _ = received
  _ = totals
}

private func example3() async throws {
  let kept = await task.cancelByProducingResumeData()
  let next: URLSessionDownloadTask
  if let kept {
    next = session.downloadTask(withResumeData: kept)
  } else {
    next = session.downloadTask(with: url)
  }
  next.resume()
  _ = kept
  _ = next
}
