// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Credentials/AuthenticationMethods.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  func isAboutTrust(_ challenge: URLAuthenticationChallenge) -> Bool {
    challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
  }
}
