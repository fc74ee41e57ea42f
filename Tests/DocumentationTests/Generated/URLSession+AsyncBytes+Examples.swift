// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/URLSession+AsyncBytes.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  let (bytes, _) = try await URLSession.shared.bytes(from: url)
  var count = 0
  for try await byte in bytes where byte == 10 { count += 1 }
  print("\(count) lines")
  _ = count
}

private func example2() async throws {
  let (bytes, _) = try await URLSession.shared.bytes(from: url)
  for try await line in bytes.lines { print(line) }
}

private func example3() async throws {
  let (bytes, _) = try await URLSession.shared.bytes(from: url)
  var reader = bytes.makeAsyncIterator()
  print(try await reader.next() ?? 0)
  _ = reader
}

private func example4() async throws {
  let (bytes, _) = try await URLSession.shared.bytes(from: url)
  for try await line in bytes.lines where line.hasPrefix("data:") { print(line) }
}

private func example5() async throws {
  let (bytes, _) = try await URLSession.shared.bytes(from: url)
  var reader = bytes.lines.makeAsyncIterator()
  print(try await reader.next() ?? "")
  _ = reader
}
