// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Delegates/URLSessionDownloadDelegate.swift
import BackgroundTransfer
import Foundation

@MainActor
private func program() async throws {
  final class Keeper: NSObject, URLSessionDownloadDelegate {
    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask,
      didFinishDownloadingTo location: URL
    ) {
      let target = URL(fileURLWithPath: "/tmp/book-\(downloadTask.taskIdentifier)")
      try? FileManager.default.moveItem(at: location, to: target)
    }
  }
}
