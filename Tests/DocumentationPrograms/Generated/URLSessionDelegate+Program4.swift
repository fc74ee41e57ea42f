// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Delegates/URLSessionDelegate.swift
import BackgroundTransfer
import Foundation

@MainActor
func runURLSessionDelegate4() throws {
  final class Replies: URLSessionDataDelegate {
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      print("\(data.count) more bytes of the reply to task \(dataTask.taskIdentifier)")
    }
  }
}
