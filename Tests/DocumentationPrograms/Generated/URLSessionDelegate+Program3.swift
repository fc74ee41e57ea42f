// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Delegates/URLSessionDelegate.swift
import BackgroundTransfer
import Foundation

@MainActor
func runURLSessionDelegate3() throws {
  actor Pinning: URLSessionDelegate {
    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      guard let trust = challenge.protectionSpace.serverTrust, trust.isTrustedBySystem else {
        return (.cancelAuthenticationChallenge, nil)
      }
      return (.useCredential, URLCredential(trust: trust))
    }
  }
}
