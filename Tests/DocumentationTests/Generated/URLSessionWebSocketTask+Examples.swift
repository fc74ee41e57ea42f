// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Tasks/URLSessionWebSocketTask.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  let socket = URLSession.shared.webSocketTask(with: url)
  socket.resume()
  try await socket.send(.string("hello"))
  if case .string(let reply) = try await socket.receive() { print(reply) }
  _ = socket
}

private func example2() async throws {
  let socket = URLSession.shared.webSocketTask(with: url)
  socket.resume()
  try await socket.send(.data(Data([1, 2])))
  _ = socket
}

private func example3() async throws {
  URLSession.shared.webSocketTask(with: url).cancel(with: .goingAway, reason: nil)
}
