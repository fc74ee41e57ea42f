// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Credentials/URLProtectionSpace+ServerTrust.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  func keyDigest(_ challenge: URLAuthenticationChallenge) -> String? {
    challenge.protectionSpace.serverTrust?.serverKeyDigest
  }
}
