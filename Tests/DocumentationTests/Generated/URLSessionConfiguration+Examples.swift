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
