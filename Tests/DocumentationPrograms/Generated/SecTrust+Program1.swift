// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Credentials/SecTrust.swift
import BackgroundTransfer

@MainActor
func runSecTrust1() throws {
  func isPinned(_ challenge: URLAuthenticationChallenge, to key: String) -> Bool {
    challenge.protectionSpace.serverTrust?.serverKeyDigest == key
  }
}
