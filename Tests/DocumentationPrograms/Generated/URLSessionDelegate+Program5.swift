// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Delegates/URLSessionDelegate.swift
import BackgroundTransfer
import Foundation

@MainActor
func runURLSessionDelegate5() throws {
  final class Keeper: NSObject, URLSessionDownloadDelegate {
    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask,
      didFinishDownloadingTo location: URL
    ) {
      let target = URL(fileURLWithPath: "\(Place.root)/book-\(downloadTask.taskIdentifier)")
      try? FileManager.default.moveItem(at: location, to: target)
    }

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask,
      didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
      totalBytesExpectedToWrite: Int64
    ) {
      print("\(totalBytesWritten) of \(totalBytesExpectedToWrite) bytes")
    }

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask,
      didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {
      print("It goes on at \(fileOffset)")
    }
  }
}
