// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/AsyncDownloads.md
import BackgroundTransfer
import Foundation

private func example1() async throws {
  let target = URL(filePath: "/srv/books/17.pdf")
  let book = try await session.download(from: url, to: target, onConflict: .skip)
  print("It is at \(book.path(percentEncoded: false))")
  _ = target
  _ = book
}

private func example2() async throws {
  let place = URL(filePath: "/srv/books/17.pdf")
  let first = session.downloadTask(with: url, to: place, duplicates: .coalesce)
  let second = session.downloadTask(with: url, to: place, duplicates: .coalesce)
  print(first.taskIdentifier == second.taskIdentifier)
  _ = place
  _ = first
  _ = second
}

private func example3() async throws {
  for await progress in task.progressUpdates {
    let share = progress.fraction.map { "\(Int($0 * 100)) %" } ?? "\(progress.completedByteCount) bytes"
    print(share, "at", progress.bytesPerSecond, "bytes a second")
  }
}
