// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Delegates/URLSessionTaskDelegate.swift
import BackgroundTransfer
import Foundation

@MainActor
private func program() async throws {
  final class Nightly: NSObject, URLSessionTaskDelegate {
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      willBeginDelayedRequest request: URLRequest,
      completionHandler:
        @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) {
      var newRequest = request
      newRequest.setValue("Bearer 5f3a", forHTTPHeaderField: "Authorization")
      completionHandler(.useNewRequest, newRequest)
    }
  }
}
