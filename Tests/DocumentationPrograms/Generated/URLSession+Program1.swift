// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/URLSession.swift
import BackgroundTransfer
import Foundation

@MainActor
func runURLSession1() throws {
  final class Downloads: NSObject, URLSessionDownloadDelegate {
    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask,
      didFinishDownloadingTo location: URL
    ) {
      try? FileManager.default.moveItem(at: location, to: URL(fileURLWithPath: "\(Place.root)/book.pdf"))
    }
  }

  let session = URLSession(
    configuration: .background(withIdentifier: "org.example.books"), delegate: Downloads(),
    delegateQueue: nil)
  _ = session
}
