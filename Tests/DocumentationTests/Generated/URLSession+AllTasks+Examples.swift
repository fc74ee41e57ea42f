// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/URLSession+AllTasks.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  for task in await session.allTasks { print(task.taskIdentifier, task.state) }
}
