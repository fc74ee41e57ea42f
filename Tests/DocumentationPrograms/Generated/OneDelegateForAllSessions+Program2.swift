// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/OneDelegateForAllSessions.md
import BackgroundTransfer
import Foundation

@MainActor
func runOneDelegateForAllSessions2() throws {
  final class OneKey: URLSessionDelegate, Sendable {
    private let pinned: String

    init(pinned: String) { self.pinned = pinned }

    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      guard let trust = challenge.protectionSpace.serverTrust else {
        return completionHandler(.performDefaultHandling, nil)
      }
      guard trust.isTrustedBySystem, trust.serverKeyDigest == pinned else {
        return completionHandler(.cancelAuthenticationChallenge, nil)
      }
      completionHandler(.useCredential, URLCredential(trust: trust))
    }
  }
}
