// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/OneDelegateForAllSessions.md
import BackgroundTransfer
import Foundation

private func example1() async throws {
  session.finishTasksAndInvalidate()
}
