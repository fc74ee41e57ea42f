// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/DuplicatePolicy.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  let task = session.downloadTask(with: url, to: file, onConflict: .replace)
  _ = task
}
