// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Tasks/URLSessionTaskMetrics.swift
import BackgroundTransfer
import Foundation

@MainActor
private func program() async throws {
  func report(_ metrics: URLSessionTaskMetrics) {
    for transaction in metrics.transactionMetrics {
      print(transaction.remoteAddress ?? "none", transaction.networkProtocolName ?? "unknown")
    }
  }
}
