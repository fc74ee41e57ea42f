// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/URLSession+Unsupported.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  // In place of each method here: a download that the program waits for, or a delegate.
  let file = try await session.download(from: url, to: URL(filePath: "/tmp/reply.json"))
  let data = try Data(contentsOf: file)
  _ = file
  _ = data
}
