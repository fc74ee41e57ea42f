// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Delegates/URLSessionDelegate.swift
import BackgroundTransfer
import Foundation

@MainActor
func runURLSessionDelegate6() throws {
  final class Doors: URLSessionWebSocketDelegate {
    func urlSession(
      _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
      didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
    ) {
      print("The other side closed it with \(closeCode.rawValue)")
    }
  }
}
