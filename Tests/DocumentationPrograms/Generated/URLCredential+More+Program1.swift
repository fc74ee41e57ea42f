// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Delegates/URLCredential+More.swift
import BackgroundTransfer

@MainActor
func runURLCredentialMore1() throws {
  func isPinned(_ challenge: URLAuthenticationChallenge, to key: String) -> Bool {
    challenge.protectionSpace.serverTrust?.serverKeyDigest == key
  }
}
