// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/URLSession+Awaiting.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  let (data, response) = try await URLSession.shared.data(from: url)
  print(data.count, response.mimeType ?? "")
}

private func example2() async throws {
  var request = URLRequest(url: url)
  request.httpMethod = "POST"
  let (reply, _) = try await URLSession.shared.upload(for: request, from: Data("hello".utf8))
  print("\(reply.count) bytes of reply")
  _ = request
}

private func example3() async throws {
  var request = URLRequest(url: url)
  request.httpMethod = "PUT"
  let (data, response) = try await session.upload(for: request, fromFile: file)
  print((response as? HTTPURLResponse)?.statusCode ?? 0, data.count)
  _ = request
}

private func example4() async throws {
  let (temporary, _) = try await URLSession.shared.download(for: request)
  try FileManager.default.moveItem(at: temporary, to: file)
}

private func example5() async throws {
  let (bytes, _) = try await URLSession.shared.bytes(for: request)
  for try await line in bytes.lines { print(line) }
}
