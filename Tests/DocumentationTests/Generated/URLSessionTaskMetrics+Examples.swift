// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Tasks/URLSessionTaskMetrics.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  let isFresh = URLSessionTaskMetrics.ResourceFetchType.networkLoad
  _ = isFresh
}
