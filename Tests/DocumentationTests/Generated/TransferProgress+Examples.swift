// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Tasks/TransferProgress.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  for await progress in task.progressUpdates {
    guard let fraction = progress.fraction else { continue }
    print("\(Int(fraction * 100)) %, \(progress.bytesPerSecond) bytes a second")
  }
}
