// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Delegates/URLSessionTaskDelegate.swift
import BackgroundTransfer
import Foundation

@MainActor
private func program() async throws {
  final class Waits: NSObject, URLSessionTaskDelegate {
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
      print("Task \(task.taskIdentifier): \(task.waitingReason?.description ?? "waits")")
    }
  }
}
