// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/DownloadingInTheBackground.md
import BackgroundTransfer
import Foundation

private func example1() async throws {
  task.earliestBeginDate = Date(timeIntervalSinceNow: 60 * 60)
  task.resume()
}

private func example2() async throws {
  configuration.launch = .command(
    .init(executable: URL(filePath: "/usr/bin/books"), arguments: ["--collect"]))
}

private func example3() async throws {
  configuration.isDiscretionary = true
  let waitingSession = URLSession(configuration: configuration)
  for task in await waitingSession.allTasks {
    if let reason = task.waitingReason { print("Task \(task.taskIdentifier) \(reason)") }
  }
  _ = waitingSession
}
