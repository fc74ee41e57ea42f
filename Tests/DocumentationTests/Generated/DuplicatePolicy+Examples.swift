// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/DuplicatePolicy.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  let task = session.downloadTask(with: url, to: file, onConflict: .replace)
  _ = task
}

private func example2() async throws {
  session.duplicatePolicy = .coalesce
  let first = session.downloadTask(with: url)
  let second = session.downloadTask(with: url)
  print(first == second)
  _ = first
  _ = second
}

private func example3() async throws {
  if let duplicate = task.error as? DuplicateTask {
    print("Task \(duplicate.taskIdentifier) fetches it already")
  }
}
