// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Delegates/URLSessionTaskDelegate.swift
import BackgroundTransfer
import Foundation

@MainActor
func runURLSessionTaskDelegate1() throws {
  final class Uploads: URLSessionTaskDelegate {
    private let login: URLCredential

    init(login: URLCredential) { self.login = login }

    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      guard challenge.previousFailureCount == 0 else {
        return completionHandler(.cancelAuthenticationChallenge, nil)
      }
      completionHandler(.useCredential, login)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
      totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
      print("\(totalBytesSent) of \(totalBytesExpectedToSend) bytes")
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      print("Task \(task.taskIdentifier): \(error?.localizedDescription ?? "done")")
    }
  }
}
