// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Delegates/URLSessionDelegate.swift
import BackgroundTransfer
import Foundation

@MainActor
func runURLSessionDelegate1() throws {
  final class Ends: URLSessionDelegate {
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
      print("\(session) is over: \(error?.localizedDescription ?? "as it was asked for")")
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
      print("\(session) has told everything")
    }
  }
}
