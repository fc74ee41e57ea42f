// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/OneDelegateForAllSessions.md
import BackgroundTransfer
import Foundation

@MainActor
func runOneDelegateForAllSessions3() throws {
  final class Reader: URLSessionTaskDelegate, Sendable {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      guard challenge.previousFailureCount == 0,
        let password = ProcessInfo.processInfo.environment["BOOKS_PASSWORD"]
      else { return completionHandler(.cancelAuthenticationChallenge, nil) }
      completionHandler(
        .useCredential, URLCredential(user: "reader", password: password, persistence: .forSession))
    }
  }
}
