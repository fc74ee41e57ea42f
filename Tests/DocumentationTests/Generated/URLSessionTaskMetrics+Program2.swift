// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Tasks/URLSessionTaskMetrics.swift
import BackgroundTransfer
import Foundation

@MainActor
private func program() async throws {
  func delay(of transaction: URLSessionTaskTransactionMetrics) -> TimeInterval? {
    guard let start = transaction.requestStartDate, let end = transaction.responseStartDate
    else { return nil }
    return end.timeIntervalSince(start)
  }
}
