// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/DownloadOptions.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  var options = DownloadOptions()
  options.checksum = "sha256:" + digest
  options.mirrors = mirrors
  options.bytesPerSecondMax = 2 * 1024 * 1024
  session.downloadTask(with: request, to: file, options: options).resume()
  _ = options
}

private func example2() async throws {
  let task = session.downloadTask(with: url, to: file, onConflict: .replace)
  _ = task
}

private func example3() async throws {
  session.duplicatePolicy = .coalesce
  let first = session.downloadTask(with: url)
  let second = session.downloadTask(with: url)
  print(first == second)
  _ = first
  _ = second
}

private func example4() async throws {
  if let duplicate = task.error as? DuplicateTask {
    print("Task \(duplicate.taskIdentifier) fetches it already")
  }
}
