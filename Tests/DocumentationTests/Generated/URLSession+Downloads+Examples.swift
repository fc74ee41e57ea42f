// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/URLSession+Downloads.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  session.downloadTask(with: url).resume()
}

private func example2() async throws {
  let task = session.downloadTask(with: URLRequest(url: url), to: file, onConflict: .replace)
  task.resume()
  _ = task
}

private func example3() async throws {
  let file = try await session.download(from: url, to: URL(fileURLWithPath: "/tmp/book.pdf"))
  _ = file
}
