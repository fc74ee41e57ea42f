// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/URLSessionConfiguration+Service.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  let command = URLSessionConfiguration.LaunchCommand(
    executable: URL(fileURLWithPath: "/usr/bin/podcasts"), arguments: ["--background"])
  _ = command
}
