// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Credentials/URLCredential+More.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  func accept(_ challenge: URLAuthenticationChallenge) -> URLCredential? {
    challenge.protectionSpace.serverTrust.map(URLCredential.init(trust:))
  }
}

private func example2() async throws {
  let identity = SecIdentity(
    certificatePath: "/etc/client/certificate.pem", keyPath: "/etc/client/key.pem")
  let credential = URLCredential(
    identity: identity, certificates: nil, persistence: .forSession)
  _ = identity
  _ = credential
}
