// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Delegates/URLSessionTaskDelegate.swift
import BackgroundTransfer
import Foundation

@MainActor
private func program() async throws {
  final class Meter: NSObject, URLSessionTaskDelegate {
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      print("\(metrics.taskInterval.duration) s, \(metrics.redirectCount) redirects")
    }
  }
}
