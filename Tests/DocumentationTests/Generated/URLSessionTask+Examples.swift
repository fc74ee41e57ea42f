// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Tasks/URLSessionTask.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  let task = session.downloadTask(with: url)
  task.taskDescription = "The first chapter"
  task.resume()
  _ = task
}

private func example2() async throws {
  task.userInfo = try JSONEncoder().encode(["book": "17"])
}

private func example3() async throws {
  if let reason = task.waitingReason { print("It \(reason).") }
}

private func example4() async throws {
  for await progress in task.progressUpdates {
    print(progress.completedByteCount, progress.fraction ?? 0)
  }
}
