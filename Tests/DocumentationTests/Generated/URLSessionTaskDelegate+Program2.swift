// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Delegates/URLSessionTaskDelegate.swift
import BackgroundTransfer
import Foundation

@MainActor
private func program() async throws {
  final class Polite: NSObject, URLSessionTaskDelegate {
    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
      task.priority = URLSessionTask.lowPriority
    }
  }
}
