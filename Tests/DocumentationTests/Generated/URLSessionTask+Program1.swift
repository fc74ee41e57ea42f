// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Tasks/URLSessionTask.swift
import BackgroundTransfer
import Foundation

@MainActor
private func program() async throws {
  final class End: NSObject, URLSessionTaskDelegate {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      print("Task \(task.taskIdentifier) has ended")
    }
  }

  func start(_ task: URLSessionTask) {
    task.delegate = End()
    task.resume()
  }
}
