// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Delegates/URLCredential+More.swift
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

private func example3() async throws {
  func isAboutTrust(_ challenge: URLAuthenticationChallenge) -> Bool {
    challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
  }
}

private func example4() async throws {
  let identity = SecIdentity(
    certificatePath: "/etc/client/certificate.pem", keyPath: "/etc/client/key.pem")
  let credential = URLCredential(identity: identity, certificates: nil, persistence: .forSession)
  _ = identity
  _ = credential
}

private func example5() async throws {
  func keyDigest(_ challenge: URLAuthenticationChallenge) -> String? {
    challenge.protectionSpace.serverTrust?.serverKeyDigest
  }
}
