// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/URLSessionConfiguration.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.podcasts")
  configuration.isDiscretionary = true
  let session = URLSession(configuration: configuration, delegate: nil, delegateQueue: nil)
  _ = configuration
  _ = session
}

private func example2() async throws {
  let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.books")
  _ = configuration
}

private func example3() async throws {
  let configuration = URLSessionConfiguration.default
  configuration.timeoutIntervalForRequest = 10
  let session = URLSession(configuration: configuration)
  _ = configuration
  _ = session
}

private func example4() async throws {
  let session = URLSession(configuration: .ephemeral)
  _ = session
}

private func example5() async throws {
  configuration.isDiscretionary = true
}

private func example6() async throws {
  configuration.sessionSendsLaunchEvents = false
}

private func example7() async throws {
  configuration.httpMaximumConnectionsPerHost = 2
}

private func example8() async throws {
  configuration.timeoutIntervalForRequest = 30
}

private func example9() async throws {
  configuration.timeoutIntervalForResource = 24 * 60 * 60
}

private func example10() async throws {
  configuration.allowsCellularAccess = false
}

private func example11() async throws {
  configuration.httpAdditionalHeaders = ["User-Agent": "Books/1.0"]
}
