// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/URLSession+AllTasks.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  session.getAllTasks { tasks in
    for task in tasks { print(task.taskIdentifier, task.state) }
  }
}

private func example2() async throws {
  session.getTasksWithCompletionHandler { _, uploads, downloads in
    print("\(uploads.count) uploads and \(downloads.count) downloads")
  }
}

private func example3() async throws {
  for task in await session.allTasks { print(task.taskIdentifier, task.state) }
}

private func example4() async throws {
  let (_, uploads, downloads) = await session.tasks
  print("\(uploads.count) uploads and \(downloads.count) downloads")
}
